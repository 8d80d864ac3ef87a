// Q4_1 weights in panels: nibbles (four_bits.wgsl), and scale and minimum. value = d * n + m.
// Needs: nibbles (unpack.wgsl).
const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 15u;
const MINIMA: u32 = 1u;

fn quants_of(unit: vec4<u32>) -> array<vec4<u32>, 2> {
    return nibbles(unit);
}
