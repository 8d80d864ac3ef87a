//! Joins shader files into the modules that look at what the others wrote.

use super::wgsl::{Target, shader};
use crate::numerics::{ActivationFormat, KvFormat};

/// What a tap looks at: the tensor's format and where a row of it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapSource {
    /// Rows of f32.
    F32,
    /// Rows of activations.
    Activations,
    /// Keys or values as a cache of this format holds them.
    Kv(KvFormat),
}

impl TapSource {
    /// Name of the kernel that taps it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "tap_f32",
            Self::Activations => "tap_activations",
            Self::Kv(_) => "tap_kv",
        }
    }
}

impl Target {
    /// A row of one tensor onto the tape, hashed and compared with the other run's.
    pub fn tap(&self, source: TapSource) -> String {
        let mut files = self.tap_source(source);
        files.extend([shader!("tap"), shader!("shared/hash")]);
        self.join("", &files)
    }

    /// Two sequences' cached K or V, in a cache of this format, compared position by position.
    pub fn kv_difference(&self, format: KvFormat) -> String {
        let mut files = self.tap_source(TapSource::Kv(format));
        files.extend([shader!("kv_difference"), shader!("shared/bound")]);
        files.extend(match format {
            KvFormat::F16 => [shader!("shared/kv_place_f16"), shader!("shared/exact_math")].as_slice(),
            _ => [shader!("shared/kv_place_f32")].as_slice(),
        });
        self.join("", &files)
    }

    fn tap_source(&self, source: TapSource) -> Vec<&'static str> {
        let mut files = vec![shader!("shared/tap_shape"), shader!("shared/difference")];
        match (source, self.arithmetic.activations) {
            (TapSource::F32, _) | (TapSource::Activations, ActivationFormat::F32) => {
                files.push(shader!("shared/tap_f32"));
            }
            (TapSource::Activations, ActivationFormat::F16) => files.push(shader!("shared/tap_f16")),
            (TapSource::Activations, ActivationFormat::Int8) => {
                files.extend([shader!("shared/tap_int8"), shader!("shared/blocks")]);
            }
            (TapSource::Kv(format), _) => {
                files.extend([shader!("shared/tap_kv"), shader!("shared/octet"), shader!("shared/blocks")]);
                files.push(Self::kv_read_file(format));
            }
        }
        files
    }
}
