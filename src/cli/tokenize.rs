//! `lastbit tokenize`: text to ids and pieces, from the file's header alone.

use clap::Args;
use serde_json::json;

use super::failure::{Ended, Failure};
use super::output::{one_line, print, print_json, quoted};
use super::start::{ModelArgs, in_file};
use super::template_process;
use crate::generate::PromptEncoder;
use crate::tokenizer::{Message, Role, SpecialTokens, TokenId, Tokenizer};

/// What to encode.
#[derive(Debug, Args)]
pub(super) struct TokenizeArgs {
    /// The text
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Take the text of a special token, such as <|im_end|>, for the token
    #[arg(long, conflicts_with = "chat")]
    special: bool,
    /// Put the text into the model's chat template as a person's message
    #[arg(long)]
    chat: bool,
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON instead of lines
    #[arg(long)]
    pub(super) json: bool,
}

/// Prints ids and pieces.
pub(super) async fn run(args: &TokenizeArgs) -> Result<Ended, Failure> {
    let mut model_file = args.model.open()?;
    let file = model_file.head()?.whole()?;
    let path = &model_file.path;
    let encoder = PromptEncoder::new(file, args.model.unknown_pre_tokenizer());
    let mut encoder = encoder.map_err(|error| in_file(path, error))?;
    encoder.choose_template(args.model.template())?;
    encoder.set_template_host(template_process::host());
    let tokenizer = encoder.tokenizer();
    let (ids, text, template) = if args.chat {
        let messages = [Message::new(Role::User, args.text.as_str())];
        let encoded = encoder.encode_chat(&messages).await.map_err(|error| in_file(path, error))?;
        (encoded.ids, encoded.text, Some((encoder.chat_template()?, encoded.now)))
    } else {
        let special = if args.special { SpecialTokens::Parse } else { SpecialTokens::Literal };
        (tokenizer.encode_prompt(&args.text, special), args.text.clone(), None)
    };
    let missing_bytes = tokenizer.missing_bytes(&text);
    if args.json {
        let pieces: Vec<String> = ids.iter().map(|id| tokenizer.token_text(*id)).collect();
        print_json(&json!({
            "ids": ids,
            "pieces": pieces,
            "text": text,
            "missing_bytes": missing_bytes,
            "tokenizer": tokenizer.report(),
            "template": template.map(|(template, now)| json!({ "name": template.name(), "sha256": template.sha256(), "known_as": template.known_as(), "now": now })),
        }))?;
    } else {
        print(&ids.iter().map(|id| line(tokenizer, *id)).collect::<String>())?;
        if missing_bytes > 0 {
            eprintln!("{missing_bytes} bytes have no token in this vocabulary and were left out");
        }
        if let Some((template, _)) = template {
            let name = template.name().map(|name| format!(" {}", one_line(name))).unwrap_or_default();
            let known = template.known_as().map_or("not a known template", |whose| whose);
            eprintln!("chat template{name} with SHA-256 {} ({known})", template.sha256());
        }
        if let Some(doubt) = tokenizer.report().doubt() {
            eprintln!("{}", one_line(&doubt));
        }
    }
    Ok(Ended::Fine)
}

fn line(tokenizer: &Tokenizer, id: TokenId) -> String {
    let control = if tokenizer.is_control(id) { "  control" } else { "" };
    format!("{id:>7}  {}{control}\n", quoted(&tokenizer.token_text(id)))
}
