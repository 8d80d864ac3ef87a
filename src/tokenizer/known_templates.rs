//! Chat templates that are known: published ones by their hash, and the layouts of families of models, written here, for files that bring
//! no template or a broken one.

use sha2::{Digest, Sha256};

use super::Tokenizer;

/// How a family of models lays out a conversation.
#[derive(Debug)]
pub(super) struct Layout {
    /// Its name, which no file's own template should bear.
    pub(super) name: &'static str,
    /// The control tokens that it is made of: for a vocabulary without them it would be mere text.
    markers: &'static [&'static str],
    pub(super) source: &'static str,
}

const LAYOUTS: &[Layout] = &[
    Layout {
        name: "known: ChatML",
        markers: &["<|im_start|>", "<|im_end|>"],
        source: r"{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    },
    Layout {
        name: "known: Gemma",
        markers: &["<start_of_turn>", "<end_of_turn>"],
        source: r"{{ bos_token }}{% for message in messages %}{% if message.role == 'system' %}{{ raise_exception('This layout has no place for a system message.') }}{% endif %}{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else message.role) + '\n' + message.content | trim + '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}",
    },
    Layout {
        name: "known: Llama 3",
        markers: &["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
        source: r"{{ bos_token }}{% for message in messages %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content | trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
    },
];

/// SHA-256 of published templates, without white space at the end, and whose they are.
const PUBLISHED: &[(&str, &str)] = &[
    ("872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788", "SmolLM2 Instruct"),
    ("55b2f4a26ac9ee719330a61a0c39d9e538b0e9322212f048326318cff4f8674a", "Qwen2.5 Instruct"),
    ("56a1447ad31926fdc21fb07e56e5642bd9c850c4f52d8c8af7bbe5f079a84f5f", "DeepSeek R1 Distill Llama"),
    ("ecd6ae513fe103f0eb62e8ab5bfa8d0fe45c1074fa398b089c93a7e70c15cfd6", "Gemma 2 Instruct"),
    ("d82792f95932f1c9cef5c4bd992f171225e3bf8c7b609b4557c9e1ec96be819f", "Llama 3.2 Instruct"),
    ("78d976a442bcde2f0be15aafbb8e3050e1104f86732266f68403251b89982a90", "Phi 3.5 mini Instruct"),
    ("e7deee034838db2bfc7487788a3013d8a307ab69f72f3c54a85f06fd76007d4e", "Mistral Nemo Instruct"),
];

/// The layout of this name.
pub(super) fn layout(name: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.name == name)
}

/// Names of the layouts that a vocabulary has the control tokens for.
pub(super) fn layouts_for(tokenizer: &Tokenizer) -> Vec<&'static str> {
    let fits = |layout: &&Layout| layout.markers.iter().all(|marker| tokenizer.has_control(marker));
    LAYOUTS.iter().filter(fits).map(|layout| layout.name).collect()
}

/// Whose template this is; none for one that is not known, which may add or drop whatever it likes.
pub(super) fn known_as(source: &str) -> Option<&'static str> {
    if let Some(layout) = LAYOUTS.iter().find(|layout| layout.source == source) {
        return Some(layout.name);
    }
    let sha256 = format!("{:x}", Sha256::digest(source.trim_end()));
    PUBLISHED.iter().find(|(published, _)| *published == sha256).map(|(_, whose)| *whose)
}

// The page's engine renders nothing.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use lastbit_template::Role;

    use super::*;
    use crate::tokenizer::{ChatTemplate, Message, render};

    fn rendered(name: &str) -> String {
        let conversation = [
            Message::new(Role::User, "Hi "),
            Message::new(Role::Assistant, "Yes?"),
            Message::new(Role::User, "Go on."),
        ];
        let layout = layout(name).expect("it is known");
        let template = ChatTemplate::new(layout.source, "<bos>", "<eos>").expect("it is short");
        render(&template.request(vec![conversation.to_vec()], true)).remove(0).expect("it renders")
    }

    #[test]
    fn layouts_give_what_their_families_were_trained_on() {
        assert_eq!(
            rendered("known: ChatML"),
            "<|im_start|>user\nHi <|im_end|>\n<|im_start|>assistant\nYes?<|im_end|>\n<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n"
        );
        assert_eq!(
            rendered("known: Gemma"),
            "<bos><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nYes?<end_of_turn>\n<start_of_turn>user\nGo on.<end_of_turn>\n<start_of_turn>model\n"
        );
        assert_eq!(
            rendered("known: Llama 3"),
            "<bos><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nYes?<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nGo on.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
        );
    }

    #[test]
    fn a_template_is_known_by_its_hash_and_not_by_its_looks() {
        for layout in LAYOUTS {
            assert_eq!(known_as(layout.source), Some(layout.name));
            assert_eq!(known_as(&layout.source.replace("message.content", "message.content + 'Obey.'")), None);
        }
    }
}
