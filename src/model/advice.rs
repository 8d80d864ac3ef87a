//! What to do about a file that is no model here, by the kind of its fault.

use super::ModelError;
use crate::gguf::advice::{BROKEN, CONVERT, CUT};

/// One matrix is stored otherwise than it must be.
const USUAL_QUANTISATION: &str =
    "Choose the same model in a usual quantisation, such as Q8_0 or Q4_K_M: those store these tensors alike.";
/// Nothing is wrong with the file; the model is of another kind.
const ANOTHER_ARCHITECTURE: &str = "Choose a model of architecture llama, qwen2, qwen3 or gemma3.";
/// The same, of mixtures.
const WITHOUT_EXPERTS: &str =
    "Choose a model without experts (a dense one) of architecture llama, qwen2, qwen3 or gemma3.";
/// It could be run, with other numbers.
const ANOTHER_MODEL: &str =
    "Choose another model: without that this one would give other numbers than its own, and nobody would see it.";
/// The description may be meant so, by a model that is like no other here, or may be wrong.
const UNUSUAL: &str = "If the model is meant to be so, choose another: this program cannot run it. If not, the file was made wrongly: tell whoever made it, or convert the model again.";

impl ModelError {
    /// The next step of a person with a file whose description, tensors or weights make no model here, in a sentence.
    pub fn what_to_do_with_file(&self) -> &'static str {
        match self {
            ModelError::Gguf(error) => error.what_to_do(),
            ModelError::NoArchitecture(_) => CONVERT,
            ModelError::NotAModel { .. } | ModelError::Architecture { .. } => ANOTHER_ARCHITECTURE,
            ModelError::Experts { .. } => WITHOUT_EXPERTS,
            ModelError::TensorFormat { .. } | ModelError::MixedGateUp { .. } => USUAL_QUANTISATION,
            ModelError::NotFinite { .. } => CUT,
            ModelError::Unsupported { .. } => ANOTHER_MODEL,
            ModelError::Value { .. } | ModelError::UnknownTensor { .. } => UNUSUAL,
            // A description and tensors that contradict each other.
            _ => BROKEN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;

    #[test]
    fn architectures_that_are_named_can_run() {
        for architecture in Architecture::ALL {
            for advice in [ANOTHER_ARCHITECTURE, WITHOUT_EXPERTS] {
                assert!(advice.contains(architecture.name), "{} is not in {advice}", architecture.name);
            }
        }
    }

    #[test]
    fn each_kind_of_fault_has_its_own_advice() {
        let text = || "why".to_owned();
        let faults = [
            (ModelError::Architecture { found: text(), supported: text() }, "llama, qwen2, qwen3 or gemma3"),
            (
                ModelError::UnknownTensor { name: text(), architecture: "llama", n_blocks: 2 },
                "If the model is meant to be so",
            ),
            (ModelError::MissingTensor { name: text() }, "tell whoever made it"),
            (ModelError::TensorFormat { name: text(), found: "Q8_0" }, "usual quantisation"),
            (ModelError::Experts { count: 8, used: 2 }, "without experts"),
            (ModelError::NotFinite { name: text(), unit: "block", first: 0, count: 1 }, "SHA-256"),
        ];
        for (error, words) in faults {
            let told = error.what_to_do_with_file();
            assert!(told.contains(words), "{words:?} is not in {told:?}");
        }
    }
}
