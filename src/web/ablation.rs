//! The orders of addition changed site by site, at the boundary to JavaScript.

use wasm_bindgen::prelude::*;

use super::{WebCancelToken, WebEngine, from_js, rejection, tell, to_js};
use crate::compare::ablation::{ablation, outcome_under};
use crate::compare::{CompareRequest, Schedules};
use crate::page::{AblationReport, CasesDone, OrdersRequest};

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// Runs a comparison's prompt cold and warm once for every choice of orders, telling `on_event` how many are done. What was cached is
    /// forgotten. Resolves with null where it was stopped before there was anything to tell.
    ///
    /// # Errors
    /// Rejects with `bad-request` where the request is not one, and as `compare` breaks off.
    pub async fn ablate(
        &mut self,
        request: JsValue,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        let engine = self.loaded()?;
        let CompareRequest { prompt, scenario, max_tokens, .. } = from_js(request)?;
        let cancel = cancel.0.clone();
        let schedules = Schedules::new(engine, &prompt, &scenario).await.map_err(rejection)?;
        let found = ablation(engine, &schedules, max_tokens, &cancel, |done, of| {
            tell(&on_event, &CasesDone { done, of });
        })
        .await
        .map_err(rejection)?;
        to_js(&found.map(AblationReport::from))
    }
    /// Runs a comparison's prompt cold and warm once, with those sites invariant that the request names and the others by shape. What was
    /// cached is forgotten. Resolves with null where it was stopped.
    ///
    /// # Errors
    /// As `ablate`.
    pub async fn try_orders(&mut self, request: JsValue, cancel: &WebCancelToken) -> Result<JsValue, JsValue> {
        let engine = self.loaded()?;
        let request: OrdersRequest = from_js(request)?;
        let orders = request.orders();
        let CompareRequest { prompt, scenario, max_tokens, .. } = request.comparison;
        let cancel = cancel.0.clone();
        let schedules = Schedules::new(engine, &prompt, &scenario).await.map_err(rejection)?;
        let outcome = outcome_under(engine, &schedules, orders, max_tokens, &cancel).await.map_err(rejection)?;
        to_js(&outcome)
    }
}
