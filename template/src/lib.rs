//! Renders chat templates: Jinja, as Hugging Face's library sets it up.
//!
//! A crate of its own because a template is a program from a stranger. Its steps, its output and the depth of its nesting
//! are bounded here, but the memory of its values and the stack of its compiler are not. So the command line renders in
//! a process of its own, and the page in a worker with an instance of its own, which holds this crate and nothing else.

mod error;
#[cfg(feature = "render")]
mod generation_tag;
#[cfg(feature = "render")]
mod jinja;
mod message;
#[cfg(feature = "render")]
mod python;
mod request;
#[cfg(feature = "worker")]
pub mod worker;

pub use error::RenderError;
#[cfg(feature = "render")]
pub use jinja::{render, render_json};
pub use message::{Message, Role};
pub use request::{RenderReply, RenderRequest};
