// Q5_0 weights in panels: quants of five bits (five_bits.wgsl), and a scale. value = d * (n - 16).
const QUANT_ZERO: u32 = 16u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 16u;
const MINIMA: u32 = 0u;
