//! `lastbit tokenize`: text to ids and pieces, from the file's header alone.

use clap::Args;
use serde_json::json;

use super::failure::{Ended, Failure};
use super::inspect::read_header;
use super::output::{print, print_json, quoted};
use super::start::{ModelArgs, in_file};
use crate::tokenizer::{ChatTemplate, Message, Role, SpecialTokens, TokenId, Tokenizer};

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
pub(super) fn run(args: &TokenizeArgs) -> Result<Ended, Failure> {
    let header = read_header(&args.model)?;
    let file = header.file?;
    let tokenizer = Tokenizer::from_metadata(&file.metadata).map_err(|error| in_file(&header.path, error))?;
    let (ids, text) = if args.chat {
        let template = ChatTemplate::from_metadata(&file.metadata)
            .map_err(|error| in_file(&header.path, crate::tokenizer::TokenizerError::from(error)))?;
        let encoded = tokenizer.encode_chat(&template, &[Message::new(Role::User, args.text.as_str())], true)?;
        (encoded.ids, encoded.text)
    } else {
        let special = if args.special { SpecialTokens::Parse } else { SpecialTokens::Literal };
        (tokenizer.encode_prompt(&args.text, special), args.text.clone())
    };
    let missing_bytes = tokenizer.missing_bytes(&text);
    if args.json {
        let pieces: Vec<String> = ids.iter().map(|id| tokenizer.token_text(*id)).collect();
        print_json(&json!({ "ids": ids, "pieces": pieces, "text": text, "missing_bytes": missing_bytes }))?;
    } else {
        print(&ids.iter().map(|id| line(&tokenizer, *id)).collect::<String>())?;
        if missing_bytes > 0 {
            eprintln!("{missing_bytes} bytes have no token in this vocabulary and were left out");
        }
    }
    Ok(Ended::Fine)
}

fn line(tokenizer: &Tokenizer, id: TokenId) -> String {
    let control = if tokenizer.is_control(id) { "  control" } else { "" };
    format!("{id:>7}  {}{control}\n", quoted(&tokenizer.token_text(id)))
}
