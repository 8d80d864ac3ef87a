//! Numbers and names of the tensor types that ggml knows, so that a refusal can say what the file holds.

use TypeStatus::{Known, Newer, Removed, Unknown};

/// Why a tensor type cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeStatus {
    /// ggml knows it, this engine does not.
    Known,
    /// ggml took it out; files with it must be converted again.
    Removed,
    /// ggml has it, and got it after this engine's formats were chosen.
    Newer,
    /// The number is not in the list: newer than this engine, or not a type at all.
    Unknown,
}

/// A tensor type that this engine does not load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedType {
    /// The number in the file.
    pub id: u32,
    /// ggml's name for it, when the number is in the list.
    pub name: Option<&'static str>,
    /// Whether it is known, removed or new.
    pub status: TypeStatus,
}

impl UnsupportedType {
    pub(super) fn from_ggml_id(id: u32) -> UnsupportedType {
        let row = GGML_TYPES.iter().find(|row| row.0 == id);
        UnsupportedType { id, name: row.map(|row| row.1), status: row.map_or(Unknown, |row| row.2) }
    }
}

impl std::fmt::Display for UnsupportedType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.status, self.name) {
            (Known, Some(name)) => write!(formatter, "type {name} (number {}) is not supported", self.id),
            (Removed, Some(name)) => {
                write!(formatter, "type {name} (number {}) is no longer in use, convert the file again", self.id)
            }
            (Newer, Some(name)) => write!(formatter, "type {name} (number {}) is newer than this program", self.id),
            _ => write!(formatter, "type number {} is unknown, perhaps newer than this program", self.id),
        }?;
        formatter.write_str("; supported:")?;
        for (index, tensor_type) in super::TensorType::in_files().enumerate() {
            write!(formatter, "{} {tensor_type}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// Number, name and status of each type.
const GGML_TYPES: [(u32, &str, TypeStatus); 42] = [
    (0, "F32", Known),
    (1, "F16", Known),
    (2, "Q4_0", Known),
    (3, "Q4_1", Known),
    (4, "Q4_2", Removed),
    (5, "Q4_3", Removed),
    (6, "Q5_0", Known),
    (7, "Q5_1", Known),
    (8, "Q8_0", Known),
    (9, "Q8_1", Known),
    (10, "Q2_K", Known),
    (11, "Q3_K", Known),
    (12, "Q4_K", Known),
    (13, "Q5_K", Known),
    (14, "Q6_K", Known),
    (15, "Q8_K", Known),
    (16, "IQ2_XXS", Known),
    (17, "IQ2_XS", Known),
    (18, "IQ3_XXS", Known),
    (19, "IQ1_S", Known),
    (20, "IQ4_NL", Known),
    (21, "IQ3_S", Known),
    (22, "IQ2_S", Known),
    (23, "IQ4_XS", Known),
    (24, "I8", Known),
    (25, "I16", Known),
    (26, "I32", Known),
    (27, "I64", Known),
    (28, "F64", Known),
    (29, "IQ1_M", Known),
    (30, "BF16", Known),
    (31, "Q4_0_4_4", Removed),
    (32, "Q4_0_4_8", Removed),
    (33, "Q4_0_8_8", Removed),
    (34, "TQ1_0", Known),
    (35, "TQ2_0", Known),
    (36, "IQ4_NL_4_4", Removed),
    (37, "IQ4_NL_4_8", Removed),
    (38, "IQ4_NL_8_8", Removed),
    (39, "MXFP4", Known),
    (40, "NVFP4", Newer),
    (41, "Q1_0", Newer),
];
