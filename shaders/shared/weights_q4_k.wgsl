// Q4_K weights in panels: nibbles (four_bits.wgsl), and a byte each of scale and minimum, which are times what the super-block of 256
// has. value = (d * scale) * n - dmin * minimum.
// Needs: nibbles (unpack.wgsl).
const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 15u;
const MINIMA: u32 = 1u;

fn quants_of(unit: vec4<u32>) -> array<vec4<u32>, 2> {
    return nibbles(unit);
}
