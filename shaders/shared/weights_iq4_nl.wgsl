// IQ4_NL weights in panels: nibbles (four_bits.wgsl) that stand for entries of a table, and a scale. value = d * TABLE[n].

// -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113, as signed bytes.
const TABLE: array<u32, 16> = array<u32, 16>(
    0x81u, 0x98u, 0xadu, 0xbfu, 0xcfu, 0xddu, 0xeau, 0xf6u, 0x01u, 0x0du, 0x19u, 0x26u, 0x35u, 0x45u, 0x59u, 0x71u,
);

const QUANT_ZERO: u32 = 0u;
const QUANTS_SIGNED: bool = true;
const LARGEST_QUANT: u32 = 127u;
const MINIMA: u32 = 0u;
