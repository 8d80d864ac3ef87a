// Q5_1 weights in panels: quants of five bits (five_bits.wgsl), and scale and minimum. value = d * n + m.
const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = false;
const LARGEST_QUANT: u32 = 31u;
const MINIMA: u32 = 1u;
