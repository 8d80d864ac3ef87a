//! A device held against the CPU twin, at the boundary to JavaScript.

use wasm_bindgen::prelude::*;

use super::twin::WebTwinEngine;
use super::{WebCancelToken, WebEngine, bad_request, from_js, rejection, tell, to_js};
use crate::compare::{CompareRequest, compare, twin_check};
use crate::page::CompareEvent;

/// Tokens of each run: the twin takes about a third of a second for one.
const TOKENS: usize = 4;

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// Runs the first tokens of a comparison here and on the twin of the same model under the same numerics, telling `on_event` of every
    /// step of both. What was cached is forgotten.
    ///
    /// # Errors
    /// Rejects with `bad-request` where the request is not one or the twin is set up otherwise, and as `compare` breaks off.
    pub async fn check_twin(
        &mut self,
        twin: &mut WebTwinEngine,
        request: JsValue,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        let fingerprint = self.device.report().fingerprint.clone();
        let engine = self.loaded()?;
        if engine.model().sha256 != twin.engine.model().sha256 || engine.numerics() != twin.engine.numerics() {
            return Err(bad_request("the twin has another model or other numerics"));
        }
        let request: CompareRequest = from_js(request)?;
        let request = CompareRequest { max_tokens: request.max_tokens.min(TOKENS), ..request };
        let (cancel, tokenizer) = (cancel.0.clone(), engine.tokenizer().clone());
        let told = |event| tell(&on_event, &CompareEvent::new(event, &tokenizer));
        let mut on_device = compare(engine, &request, &cancel, told).await;
        twin.listen_to(&cancel);
        let mut on_twin = compare(&mut twin.engine, &request, &cancel, told).await;
        if let Some(error) = on_device.error.take().or_else(|| on_twin.error.take()) {
            return Err(rejection(error));
        }
        to_js(&twin_check(&on_device, &on_twin, &fingerprint))
    }
}
