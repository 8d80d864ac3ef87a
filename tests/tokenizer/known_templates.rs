//! The templates of well-known models, as Jinja2 renders them.

use std::collections::BTreeMap;

use lastbit::tokenizer::{ChatTemplate, Message, RenderError, Role};
use serde_json::Value;

use super::chat::{messages, render};
use super::vocabularies::conformance;
use super::{read_json, text};

/// The published templates and conversations, with what Jinja2 makes of them.
pub(super) struct KnownTemplates {
    pub(super) templates: BTreeMap<String, ChatTemplate>,
    pub(super) conversations: BTreeMap<String, Vec<Message>>,
    rendered: Value,
}

/// Reads them, where they are.
pub(super) fn known_templates(test: &str) -> Option<KnownTemplates> {
    let folder = conformance(test)?.join("templates");
    let expected = read_json(&folder.join("expected.json"));
    let entries = |key: &str| expected[key].as_object().expect("an object").clone();
    let template = |model: String| {
        let source = std::fs::read_to_string(folder.join(format!("{model}.jinja"))).expect("a template");
        (model, ChatTemplate::new(&source, "<BOS>", "<EOS>").expect("short").at_time(1_721_952_000))
    };
    Some(KnownTemplates {
        templates: entries("rendered").into_iter().map(|(model, _)| template(model)).collect(),
        conversations: entries("conversations").iter().map(|(name, value)| (name.clone(), messages(value))).collect(),
        rendered: expected["rendered"].clone(),
    })
}

#[test]
fn the_templates_of_known_models_render_as_by_jinja2() {
    let Some(known) = known_templates("the_templates_of_known_models_render_as_by_jinja2") else { return };
    let (mut texts, mut refusals) = (0, 0);
    for (model, template) in &known.templates {
        for (name, expected) in known.rendered[model].as_object().expect("cases") {
            let (conversation, flag) = name.split_once('/').expect("conversation/flag");
            match render(template, &known.conversations[conversation], flag == "generate") {
                Ok(rendered) => {
                    assert_eq!(rendered, text(&expected["text"]), "{model} {name}");
                    texts += 1;
                }
                Err(RenderError::Refused { message, .. }) => {
                    assert_eq!(message, text(&expected["error"]), "{model} {name}");
                    refusals += 1;
                }
                Err(error) => panic!("{model} {name}: {error}"),
            }
        }
    }
    assert!(known.templates.values().all(|template| template.known_as().is_some()), "each is known by its hash");
    println!("{} templates: {texts} texts and {refusals} refusals equal Jinja2's", known.templates.len());
    assert_eq!((known.templates.len(), texts + refusals), (6, 60));
}

#[test]
fn what_templates_use_beyond_plain_jinja_works() {
    let conversation = [Message::new(Role::User, " Hi ")];
    let check = |source: &str, expected: &str| {
        let template = ChatTemplate::new(source, "<s>", "</s>").expect("short").at_time(1_721_952_000);
        assert_eq!(render(&template, &conversation, true).expect("renders"), expected, "{source}");
    };
    check("{% generation %}a{% endgeneration %}\n{%- generation -%} b {%- endgeneration -%}", "ab");
    check(
        "{% for m in [1, 2, 3, 4] %}{% if m == 2 %}{% continue %}{% endif %}{% if m == 4 %}{% break %}{% endif %}{{ m }}{% endfor %}",
        "13",
    );
    check("{{ messages[0].content.strip().upper().replace('I', 'o').lower().startswith('h') }}", "True");
    check("{{ 'a,b'.split(',') | join('-') }}{{ 'xay'.rstrip('y').lstrip('x') }}{{ ' t '.title() }}", "a-ba T ");
    check("{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}", "1");
    check("{{ {'a': [1, 'é<']} | tojson }}{{ {'a': 1}.items() | list | length }}", r#"{"a": [1, "é<"]}1"#);
    check("{{ strftime_now('%Y-%m-%d') }} {{ strftime_now is defined }} {{ tools is none }}", "2024-07-26 True True");
    check("{% macro f(x) %}[{{ x }}]{% endmacro %}{{ f(messages[0]['role']) }}{{ messages[-1].role }}", "[user]user");
    check("  {% if true %}\n  x\n  {% endif %}\ny", "  x\ny");
}
