//! What to do about a file that is no GGUF file, by the kind of its fault.

use super::GgufError;

/// The bytes are not all there, or not those that were sent.
pub(crate) const CUT: &str = "Download it again, and compare its length and SHA-256 with those that its source states.";
/// Something else than a model has come in its place.
const NOT_GGUF: &str =
    "Choose the GGUF file itself: its name ends in .gguf, and a download can bring a page or a pointer in its place.";
/// The file is of an old or unusual make.
pub(crate) const CONVERT: &str = "Convert the model again with a current converter (convert_hf_to_gguf.py of llama.cpp), or choose a newer file of it.";
/// The file contradicts itself: no download does that in a way that leaves the rest readable.
pub(crate) const BROKEN: &str = "Download it again; if it stays so, the file was made wrongly: tell whoever made it, or convert the model again with a current converter.";
/// No real model is so.
pub(crate) const HOSTILE: &str =
    "Do not use this file: no real model is like that. Choose one from whoever made the model.";
/// The numbers are stored in a way that has no kernel.
const ANOTHER_QUANTISATION: &str =
    "Choose the same model in another quantisation: F32, F16, BF16, Q8_0 to Q2_K, IQ4_NL, IQ4_XS or MXFP4.";
/// It needs what is not there.
const SMALLER: &str =
    "Choose a smaller model or a quantisation of fewer bits, or close other programs and pages first.";
/// Parts of one model.
const ALL_PARTS: &str = "Give all parts of the one model together, and nothing else.";

impl GgufError {
    /// The next step of a person, in a sentence.
    pub fn what_to_do(&self) -> &'static str {
        match self {
            GgufError::Empty
            | GgufError::Truncated { .. }
            | GgufError::PastEnd { .. }
            | GgufError::FileChanged { .. }
            | GgufError::Read { .. } => CUT,
            GgufError::Magic { .. } => NOT_GGUF,
            GgufError::Version { .. }
            | GgufError::BigEndian { .. }
            | GgufError::MissingKey { .. }
            | GgufError::WrongType { .. } => CONVERT,
            // A cut file announces what it does not hold, too.
            GgufError::Count { .. } | GgufError::Length { .. } => BROKEN,
            GgufError::HeaderTooLarge { .. }
            | GgufError::NestedArray { .. }
            | GgufError::Shape { .. }
            | GgufError::DataTooLarge { .. }
            | GgufError::Dimensions { .. } => HOSTILE,
            GgufError::UnsupportedType { .. } => ANOTHER_QUANTISATION,
            GgufError::Key { .. }
            | GgufError::DuplicateKey { .. }
            | GgufError::ValueType { .. }
            | GgufError::Bool { .. }
            | GgufError::Utf8 { .. }
            | GgufError::Alignment { .. }
            | GgufError::TensorName { .. }
            | GgufError::DuplicateTensor { .. }
            | GgufError::RowNotWholeBlocks { .. }
            | GgufError::Misaligned { .. }
            | GgufError::Overlap { .. }
            | GgufError::Gap { .. } => BROKEN,
            GgufError::OutOfMemory { .. } => SMALLER,
            GgufError::Shards { .. } => ALL_PARTS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::TensorType;

    #[test]
    fn each_kind_of_fault_has_its_own_advice() {
        let text = || "why".to_owned();
        let unsupported = TensorType::from_ggml_id(29).expect_err("IQ1_M");
        let faults = [
            (GgufError::Truncated { what: text(), found: 1, needed: 2 }, "compare its length and SHA-256"),
            (GgufError::Magic { found: [0; 4], looks_like: "a page" }, "ends in .gguf"),
            (GgufError::Version { version: 1 }, "current converter"),
            (GgufError::HeaderTooLarge { offset: 1 << 30 }, "no real model"),
            (GgufError::DuplicateKey { key: text(), offset: 1 }, "tell whoever made it"),
            (GgufError::OutOfMemory { tensor: text(), len_bytes: 1 }, "smaller model"),
            (GgufError::Shards { problem: text() }, "all parts"),
            (GgufError::UnsupportedType { tensor: text(), n_more: 0, unsupported, offset: 1 }, "quantisation: F32"),
        ];
        for (error, words) in faults {
            assert!(error.what_to_do().contains(words), "{words:?} is not in {:?}", error.what_to_do());
        }
    }

    #[test]
    fn every_quantisation_that_can_run_is_named() {
        let between = ["Q6_K", "Q5_K", "Q4_K", "Q3_K", "Q5_0", "Q5_1", "Q4_0", "Q4_1"]; // of Q8_0 to Q2_K
        for name in TensorType::in_files().map(TensorType::name) {
            assert!(ANOTHER_QUANTISATION.contains(name) || between.contains(&name), "{name}");
        }
    }
}
