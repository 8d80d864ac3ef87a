//! A fork taken apart, at the boundary to JavaScript.

use wasm_bindgen::prelude::*;

use super::{WebCancelToken, WebEngine, from_js, tell, to_js};
use crate::compare::CompareRequest;
use crate::compare::dissection::{Extent, dissect};

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// Runs a comparison's prompt cold and warm side by side up to the fork, or with `beyond_fork` past it, and looks for the first bit that sets them apart. What was
    /// cached is forgotten. `on_event` is told how far it is.
    ///
    /// # Errors
    /// Rejects with `bad-request` where the request is not one. A failure on the way resolves with what was found before it.
    pub async fn dissect(
        &mut self,
        request: JsValue,
        beyond_fork: bool,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        let engine = self.loaded()?;
        let CompareRequest { prompt, scenario, max_tokens, .. } = from_js(request)?;
        let cancel = cancel.0.clone();
        let found = dissect(engine, (&prompt, &scenario), Extent { max_tokens, beyond_fork }, &cancel, |event| {
            tell(&on_event, &event);
        })
        .await;
        to_js(&found.report())
    }
}
