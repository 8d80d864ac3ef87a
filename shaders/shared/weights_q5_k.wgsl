// Q5_K weights in panels: quants of five bits (five_bits.wgsl), and a byte each of scale and minimum, which are times what the super-block
// of 256 has. value = (d * scale) * n - dmin * minimum.
const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 31u;
const MINIMA: u32 = 1u;
