// Q4_0 weights in panels: nibbles (four_bits.wgsl), and a scale. value = d * (n - 8).
// Needs: nibbles (unpack.wgsl).
const QUANT_ZERO: u32 = 8u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 8u;
const MINIMA: u32 = 0u;

fn quants_of(unit: vec4<u32>) -> array<vec4<u32>, 2> {
    return nibbles(unit);
}
