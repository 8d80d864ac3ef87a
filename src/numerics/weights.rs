//! How matrices are stored: as the file has them, or re-quantised from that.

use serde::{Deserialize, Serialize};

/// How matrices are stored, the token embedding included. Norms stay f32.
///
/// A matrix that has the wanted format in the file already is not touched. Any other is made from the file's, never from one that was
/// re-quantised before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WeightFormat {
    /// Each matrix as the file holds it.
    #[default]
    #[serde(rename = "as-in-file")]
    AsInFile,
    /// 16-bit floats.
    #[serde(rename = "f16")]
    F16,
    /// ggml's blocks of 32 signed bytes with a scale.
    #[serde(rename = "q8_0")]
    Q8_0,
    /// ggml's blocks of 32 signed 4-bit numbers with a scale.
    #[serde(rename = "q4_0")]
    Q4_0,
    /// ggml's blocks of 32 4-bit numbers with scale and minimum.
    #[serde(rename = "q4_1")]
    Q4_1,
    /// ggml's super-blocks of 256 signed 6-bit numbers with a scale for every 16.
    #[serde(rename = "q6_k")]
    Q6K,
    /// ggml's super-blocks of 256 5-bit numbers with a scale and a minimum for every 32.
    #[serde(rename = "q5_k")]
    Q5K,
    /// ggml's super-blocks of 256 4-bit numbers with a scale and a minimum for every 32.
    #[serde(rename = "q4_k")]
    Q4K,
    /// ggml's super-blocks of 256 signed 3-bit numbers with a scale for every 16.
    #[serde(rename = "q3_k")]
    Q3K,
    /// ggml's super-blocks of 256 2-bit numbers with a scale and a minimum for every 16.
    #[serde(rename = "q2_k")]
    Q2K,
    /// Blocks of 32 3-bit numbers with scale and minimum; a stress format, not one of ggml.
    #[serde(rename = "q3_32")]
    Q3_32,
    /// Blocks of 32 2-bit numbers with scale and minimum; a stress format, not one of ggml.
    #[serde(rename = "q2_32")]
    Q2_32,
}

impl WeightFormat {
    /// Every format, from the file's own down to the coarsest.
    pub const ALL: [Self; 12] = [
        Self::AsInFile,
        Self::F16,
        Self::Q8_0,
        Self::Q6K,
        Self::Q5K,
        Self::Q4K,
        Self::Q4_1,
        Self::Q4_0,
        Self::Q3K,
        Self::Q3_32,
        Self::Q2K,
        Self::Q2_32,
    ];

    /// How weights come to this format, for records: another method would give other bits.
    pub fn method(self) -> &'static str {
        match self {
            Self::AsInFile => "as in the file",
            Self::F16 => "round to nearest even",
            Self::Q8_0 | Self::Q4_0 | Self::Q4_1 => "round to nearest, blocks of 32",
            Self::Q6K | Self::Q5K | Self::Q4K | Self::Q3K | Self::Q2K => {
                "round to nearest, super-blocks of 256 (not the search that ggml's quantiser makes)"
            }
            Self::Q3_32 | Self::Q2_32 => {
                "round to nearest, blocks of 32, f16 scale and minimum (stress format, not ggml)"
            }
        }
    }
}
