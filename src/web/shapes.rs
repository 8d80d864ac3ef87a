//! A prompt in other shapes, at the boundary to JavaScript.

use wasm_bindgen::prelude::*;

use super::{WebCancelToken, WebEngine, from_js, rejection, tell, to_js};
use crate::compare::{CompareRequest, SHAPE_TOKENS, Schedules, check_shapes};
use crate::page::CasesDone;

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// Runs a comparison's prompt in other chunks, with other reuse and beside another sequence, telling `on_event` how many runs are done.
    /// What was cached is forgotten. Resolves with null where it was stopped before there was anything to tell.
    ///
    /// # Errors
    /// Rejects with `bad-request` where the request is not one, and as `compare` breaks off.
    pub async fn check_shapes(
        &mut self,
        request: JsValue,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        let engine = self.loaded()?;
        let CompareRequest { prompt, scenario, .. } = from_js(request)?;
        let cancel = cancel.0.clone();
        let schedules = Schedules::new(engine, &prompt, &scenario).await.map_err(rejection)?;
        let found = check_shapes(engine, &schedules.ids, SHAPE_TOKENS, &cancel, |done, of| {
            tell(&on_event, &CasesDone { done, of });
        })
        .await
        .map_err(rejection)?;
        to_js(&found)
    }
}
