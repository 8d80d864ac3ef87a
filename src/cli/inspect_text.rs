//! A file's inspection told to a person.

use serde_json::Value;

use super::inspect::Inspection;
use super::output::{printable, word};
use crate::gpu::Fingerprint;

/// Longer values of metadata are cut.
const VALUE_CHARS: usize = 90;

/// The whole text.
pub(super) fn told(inspection: &Inspection) -> String {
    let mut text = format!("{}\n", inspection.path);
    let version =
        inspection.gguf_version.map_or_else(|| "GGUF".to_owned(), |version| format!("GGUF version {version}"));
    let length = match inspection.expected_bytes {
        Some(expected) if inspection.len_bytes < expected => {
            format!("{} of {expected} bytes are here", inspection.len_bytes)
        }
        _ => format!("{} bytes", inspection.len_bytes),
    };
    text += &format!("{version}, {length}\n\nmetadata\n");
    for (key, value) in &inspection.metadata {
        text += &format!("  {key:<44} {}\n", cut(value));
    }
    if !inspection.tensor_types.is_empty() {
        text += "\ntensors\n  type   count        numbers          bytes\n";
    }
    for (name, count) in &inspection.tensor_types {
        text += &format!("  {name:<6} {:>5} {:>14} {:>14}\n", count.tensors, count.elements, count.bytes);
    }
    if let Some(memory) = &inspection.memory {
        text += &format!(
            "\nmemory\n  weights {}, keys and values {} in f16\n  largest binding {} with {}\n",
            megabytes(memory.weights_bytes),
            megabytes(memory.kv_f16_bytes),
            memory.largest_binding,
            megabytes(memory.largest_binding_bytes),
        );
    }
    if let Some(device) = &inspection.device {
        let limit = megabytes(device.limits.max_storage_buffer_binding_size);
        text += &format!(
            "\ndevice\n  {} ({}), kernels {}\n  binds at most {limit} at once\n",
            device.name,
            device.backend,
            word(&device.family)
        );
        text += &format!("  {}\n", arithmetic(&device.fingerprint));
    }
    text += match inspection.fits {
        Some(true) => "  the largest binding fits\n",
        Some(false) => "  the largest binding does not fit\n",
        None => "",
    };
    text += if inspection.runs { "\nruns here: yes, as far as the header tells\n" } else { "\nruns here: no\n" };
    for explained in &inspection.why_not {
        text += &format!("  {}: {}\n", explained.code, explained.message);
    }
    printable(&text)
}

/// The device's arithmetic in one line.
fn arithmetic(fingerprint: &Fingerprint) -> String {
    let unlike = fingerprint.unlike_the_twin();
    let words = if unlike.is_empty() {
        "rounds like the CPU twin".to_owned()
    } else {
        format!("rounds unlike the CPU twin: {}", unlike.join("; "))
    };
    format!("{words}; numeric fingerprint {}", fingerprint.hash)
}

fn cut(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default().replace('\n', "\\n");
    match text.char_indices().nth(VALUE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
