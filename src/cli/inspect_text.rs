//! A file's inspection told to a person.

use super::inspect::Inspection;
use super::output::{one_line, printable, word};
use crate::architecture::{Activation, Architecture, RopePairs};
use crate::gpu::Fingerprint;
use crate::model::{Fit, ModelConfig};

/// Longer values of metadata are cut.
const VALUE_CHARS: usize = 90;

/// The whole text.
pub(super) fn told(inspection: &Inspection<'_>) -> String {
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
        text += &format!("  {key:<44} {}\n", one_line(&cut(value)));
    }
    if !inspection.tensor_types.is_empty() {
        text += "\ntensors\n  type   count        numbers          bytes\n";
    }
    for (name, count) in &inspection.tensor_types {
        text += &format!("  {name:<6} {:>5} {:>14} {:>14}\n", count.tensors, count.elements, count.bytes);
    }
    text += &inspection.model.as_ref().map(described).unwrap_or_default();
    if !inspection.templates.is_empty() {
        text += &format!("\nchat templates by name\n  {}\n", one_line(&inspection.templates.join(", ")));
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
    text += &inspection.fit.as_ref().map(memory).unwrap_or_default();
    text += if inspection.runs { "\nruns here: yes, as far as the header tells\n" } else { "\nruns here: no\n" };
    for explained in &inspection.why_not {
        text += &format!(
            "  {}: {}\n    {}\n",
            explained.code,
            one_line(&explained.message),
            one_line(&explained.what_to_do)
        );
    }
    if !inspection.notes.is_empty() {
        text += "\nnotes\n";
    }
    for note in &inspection.notes {
        text += &format!("  {}\n", one_line(note));
    }
    printable(&text)
}

/// What the model takes, and whether there is as much.
fn memory(fit: &Fit) -> String {
    let mut text = format!(
        "\nmemory\n  {} numbers; keys and values take {} bytes a token\n",
        fit.n_parameters, fit.kv_bytes_per_token
    );
    text += "  context      keys and values      with weights\n";
    for need in &fit.kv {
        let [kv, total] = [need.kv_bytes, need.total_bytes].map(megabytes);
        let fits = if need.fits { "" } else { "  more than the budget" };
        text += &format!("  {:>7} {kv:>20} {total:>17}{fits}\n", need.context_len);
    }
    let embedding = megabytes(fit.embedding_bytes);
    text + &format!(
        "  the embedding takes {embedding} and is cut where a device binds less at once\n  {}\n",
        fit.sentence
    )
}

/// The model's sizes, and what its architecture does otherwise than others.
fn described(model: &ModelConfig) -> String {
    let Architecture { rope_pairs, qkv_bias, head_norms, post_norms, scaled_embedding, activation, .. } =
        model.architecture;
    let window = model.window.map(|window| match window.pattern.global_every {
        Some(every) => format!("a window of {} keys in all layers but every {every}th", window.len),
        None => format!("a window of {} keys in every layer", window.len),
    });
    let local_base = model.window.and_then(|window| window.pattern.local_rope_base);
    let traits = [
        (rope_pairs == RopePairs::Halves).then(|| "heads rotate in halves".to_owned()),
        qkv_bias.then(|| "biases of Q, K and V".to_owned()),
        head_norms.then(|| "norms of heads".to_owned()),
        post_norms.then(|| "norms in front of the residual stream".to_owned()),
        scaled_embedding.then(|| "a scaled embedding".to_owned()),
        (activation == Activation::GeluTanh).then(|| "GELU".to_owned()),
        window,
        local_base.map(|base| format!("rotations of base {base} in it")),
        (model.rope_scale != 1.0).then(|| format!("positions divided by {}", model.rope_scale)),
    ];
    let traits: Vec<String> = traits.into_iter().flatten().collect();
    format!(
        "\nmodel\n  {}: {} layers of {}, {} query heads and {} of keys and values, each of {}, vocabulary {}, context {}\n{}",
        model.architecture.name,
        model.n_blocks,
        model.embedding_dim,
        model.n_heads,
        model.n_kv_heads,
        model.head_dim,
        model.vocab_size,
        model.context_len,
        if traits.is_empty() { String::new() } else { format!("  {}\n", traits.join(", ")) },
    )
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

fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
