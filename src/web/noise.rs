//! Noise or corruption, at the boundary to JavaScript.

use wasm_bindgen::prelude::*;

use super::{WebCancelToken, WebEngine, from_js, rejection, tell, to_js};
use crate::compare::corruption::judge_last_run;
use crate::compare::{CompareRequest, compare};
use crate::page::CompareEvent;

/// Tokens of each run: what is judged is the cache of the prompt and of a few tokens behind it.
const TOKENS: usize = 4;

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// Runs the first tokens of a comparison again and holds the warm run's cache against a cold run and the rounding of the formats, telling
    /// `on_event` of every step. Resolves with null where it was stopped.
    ///
    /// # Errors
    /// Rejects with `bad-request` where the request is not one, and as `compare` breaks off.
    pub async fn judge_noise(
        &mut self,
        request: JsValue,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        let engine = self.loaded()?;
        let request: CompareRequest = from_js(request)?;
        let request = CompareRequest { max_tokens: request.max_tokens.min(TOKENS), ..request };
        let (cancel, tokenizer) = (cancel.0.clone(), engine.tokenizer().clone());
        let told = |event| tell(&on_event, &CompareEvent::new(event, &tokenizer));
        let mut runs = compare(engine, &request, &cancel, told).await;
        if let Some(error) = runs.error.take() {
            return Err(rejection(error));
        }
        let judged = match runs.warm.filter(|_| !cancel.is_cancelled()) {
            Some(warm) => judge_last_run(engine, warm.prompt_tokens).await.map_err(rejection)?,
            None => None,
        };
        to_js(&judged)
    }
}
