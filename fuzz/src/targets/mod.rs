//! The targets: any bytes go in, and nothing may panic, overflow or grow beyond what came; what is accepted must be consistent.

pub(crate) mod container;
mod description;
mod generate;
mod template;
mod vocabulary;

pub(crate) use container::{reader_bytes, reader_structure};
pub(crate) use description::description;
pub(crate) use template::template;
pub(crate) use vocabulary::tokenizer;
