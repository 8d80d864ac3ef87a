//! The token embedding: one row of the table per token, weighed for the first norm.

use super::rms_norm::NormInput;
use super::weights::Matrix;
use crate::numerics::ActivationFormat;

/// Embeds tokens, their numbers times `scale` where there is one. `norm_weight` is that of the first layer's attention norm;
/// `[token, embedding_dim]`.
///
/// # Panics
/// If an id has no row in the table: ids are checked where they enter the engine.
pub fn embed(
    table: &Matrix<'_>,
    scale: Option<f32>,
    token_ids: &[u32],
    norm_weight: &[f32],
    format: ActivationFormat,
) -> NormInput {
    let mut rows = NormInput::new(format, table.row_len);
    for &token_id in token_ids {
        let mut row = table.row_values(token_id as usize);
        row.iter_mut().for_each(|value| *value *= scale.unwrap_or(1.0));
        rows.push_row(&row, norm_weight);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::TensorType;
    use crate::reference::activations::Activations;
    use crate::reference::test_data::Seeded;

    #[test]
    fn rows_are_found_by_id_and_weighed() {
        for tensor_type in TensorType::all() {
            let mut seeded = Seeded::new(11);
            let bytes = seeded.weight_bytes(tensor_type, 7 * 256);
            let table = Matrix { tensor_type, n_rows: 7, row_len: 256, bytes: &bytes };
            let rows = embed(&table, None, &[6, 0, 6], &[2.0; 256], ActivationFormat::F32);
            assert_eq!(rows.x[..256], table.row_values(6));
            let thrice = embed(&table, Some(3.0), &[6], &[2.0; 256], ActivationFormat::F32);
            assert!(thrice.x.iter().zip(&rows.x).all(|(scaled, plain)| *scaled == 3.0 * plain));
            assert_eq!(rows.x[256..512], table.row_values(0));
            assert_eq!(rows.x[512..], rows.x[..256]);
            let doubled: Vec<f32> = rows.x.iter().map(|x| 2.0 * x).collect();
            assert_eq!(rows.weighted, Activations::F32 { row_len: 256, values: doubled });
            assert_eq!(rows.sums_of_squares.len(), 3 * 256 / 32);
        }
    }
}
