//! Numerics that cannot be are refused when they are chosen, never later.

use super::Numerics;

/// Most rows of one prefill step.
pub const MAX_CHUNK_ROWS: u32 = 256;

/// Why numerics cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumericsError {
    /// No rows, or more than one step takes.
    #[error("a prefill step of {found} rows: it must have 1 to {MAX_CHUNK_ROWS}")]
    ChunkRows {
        /// Rows asked for.
        found: u32,
    },
}

impl Numerics {
    /// Whether these choices go together.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), NumericsError> {
        if !(1..=MAX_CHUNK_ROWS).contains(&self.chunk_rows) {
            return Err(NumericsError::ChunkRows { found: self.chunk_rows });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{Formats, Order};

    #[test]
    fn chunks_have_rows_and_fit_a_step() {
        let check = |chunk_rows| Numerics::new(Formats::Int8, Order::ByShape, chunk_rows).check();
        for chunk_rows in [1, 64, MAX_CHUNK_ROWS] {
            assert_eq!(check(chunk_rows), Ok(()));
        }
        for found in [0, MAX_CHUNK_ROWS + 1, u32::MAX] {
            assert_eq!(check(found), Err(NumericsError::ChunkRows { found }));
        }
    }
}
