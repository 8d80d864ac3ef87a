//! The boundary to JavaScript, of the worker that renders.

use wasm_bindgen::prelude::wasm_bindgen;

/// A request as JSON to its reply as JSON. A template that takes too much memory or too deep a stack makes this throw, and
/// the instance is of no use after.
#[wasm_bindgen]
pub fn render(request: &str) -> String {
    crate::render_json(request)
}
