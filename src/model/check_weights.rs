//! What is looked at in a tensor's numbers before they are used.

use super::ModelError;
use super::error::Subject;
use crate::gguf::TensorInfo;
use crate::quant::check_finite;

/// The divisors of the rotations' angles, one a pair.
pub(super) const ROPE_FREQS: &str = "rope_freqs.weight";

/// Whether a matrix holds nothing but zeros. A model may have such a one; a download whose end was filled in place of what never came has
/// many.
pub(super) fn is_zero_matrix(tensor: &TensorInfo, bytes: &[u8]) -> bool {
    tensor.shape.len() > 1 && bytes.iter().all(|byte| *byte == 0)
}

/// What is to be said of a model with such matrices; nothing where there is none.
pub fn zero_note(zero_matrices: &[String]) -> Option<String> {
    let first = zero_matrices.first()?;
    let (n, hold) = (zero_matrices.len(), if zero_matrices.len() == 1 { "matrix holds" } else { "matrices hold" });
    Some(format!(
        "{n} {hold} nothing but zeros, the first is {first}: where the file was downloaded, its end may never have come"
    ))
}

/// Refuses a tensor, of the bytes that the file has of it, whose numbers give no numbers.
///
/// # Errors
/// [`ModelError::NotFinite`]; [`ModelError::Value`] where an angle would be divided by zero, or by less.
pub(super) fn check_weights(tensor: &TensorInfo, bytes: &[u8]) -> Result<(), ModelError> {
    check_finite(tensor.tensor_type, bytes).map_err(|found| ModelError::not_finite(tensor, found))?;
    if tensor.name != ROPE_FREQS {
        return Ok(());
    }
    let factors: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
    match factors.iter().position(|factor| *factor <= 0.0) {
        None => Ok(()),
        Some(pair) => Err(ModelError::Value {
            subject: Subject::Rope,
            key: format!("{ROPE_FREQS} at {pair}"),
            found: factors[pair].to_string(),
            expected: "more than 0".to_owned(),
        }),
    }
}
