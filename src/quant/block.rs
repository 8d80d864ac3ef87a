//! Blocks of 32 numbers, the unit of every kernel and of every order of addition, whatever the size of a format's own blocks.

/// Numbers in such a block.
pub const BLOCK_LEN: usize = 32;

/// Numbers in a half of one.
const HALF_LEN: usize = BLOCK_LEN / 2;

/// 32 neighbouring numbers of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// value = d * (scale of its half * quant), plus a minimum where the format has any.
    Quants {
        /// Scale.
        d: f32,
        /// Whole-number scale of numbers 0 to 15 and of numbers 16 to 31; 1 in most formats.
        halves: [i8; 2],
        /// The quants in the order of the row. Times the scale of their half they are at most 2^12 in size, so that 32 products with int8
        /// activations add up to what f32 holds exactly.
        quants: [i8; BLOCK_LEN],
        /// What is added.
        minima: Minima,
    },
    /// The numbers themselves.
    Floats([f32; BLOCK_LEN]),
}

/// What is added to the numbers of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Minima {
    /// Nothing.
    None,
    /// The same to all.
    Block(f32),
    /// One to numbers 0 to 15, one to numbers 16 to 31.
    Halves([f32; 2]),
}

impl Minima {
    fn of(self, number: usize) -> Option<f32> {
        match self {
            Minima::None => None,
            Minima::Block(m) => Some(m),
            Minima::Halves(minima) => Some(minima[number / HALF_LEN]),
        }
    }
}

impl Block {
    /// Quants of one scale.
    pub(super) fn quants(d: f32, quant: impl Fn(usize) -> i8, minima: Minima) -> Block {
        Block::Quants { d, halves: [1; 2], quants: std::array::from_fn(quant), minima }
    }

    /// The 32 numbers as f32. `d * (scale * quant)` is exact wherever something is added to it, so each number is rounded once.
    pub fn values(&self) -> [f32; BLOCK_LEN] {
        match self {
            Block::Quants { d, halves, quants, minima } => std::array::from_fn(|i| {
                let product = d * (f32::from(halves[i / HALF_LEN]) * f32::from(quants[i]));
                minima.of(i).map_or(product, |minimum| product + minimum)
            }),
            Block::Floats(values) => *values,
        }
    }

    /// The 32 numbers without a rounding.
    pub fn exact_values(&self) -> [f64; BLOCK_LEN] {
        match self {
            Block::Quants { d, halves, quants, minima } => std::array::from_fn(|i| {
                let product = f64::from(*d) * f64::from(halves[i / HALF_LEN]) * f64::from(quants[i]);
                product + minima.of(i).map_or(0.0, f64::from)
            }),
            Block::Floats(values) => values.map(f64::from),
        }
    }
}
