//! The lesson at the boundary to JavaScript: sums on the device or on the twin, without a model, and one dot product of a loaded one.

use wasm_bindgen::prelude::*;

use super::{WebEngine, bad_request, from_js, reject, rejection, to_js};
use crate::error::explain_lesson;
use crate::generate::Engine;
use crate::lesson::{LessonError, answer_on_twin};
use crate::model::Pass;
use crate::page::{DotProduct, DotProductRequest};
use crate::tokenizer::SpecialTokens;

/// The lesson's sums on the CPU twin: needs neither a model nor an adapter.
///
/// # Errors
/// Rejects with `bad-request` for what cannot be.
#[wasm_bindgen(js_name = lessonOnTwin)]
pub fn lesson_on_twin(request: JsValue) -> Result<JsValue, JsValue> {
    to_js(&answer_on_twin(&from_js(request)?).map_err(lesson_rejection)?)
}

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// The lesson's sums on the device, which needs no model.
    ///
    /// # Errors
    /// Rejects with `bad-request` for what cannot be, `shader-failed`, `device-lost`.
    pub async fn lesson(&mut self, request: JsValue) -> Result<JsValue, JsValue> {
        to_js(&self.lesson.answer(&from_js(request)?).await.map_err(lesson_rejection)?)
    }

    /// One dot product of the loaded model, as the sums of its blocks of 32 products.
    ///
    /// # Errors
    /// Rejects with `bad-request` without a model or a token, `device-lost`.
    pub async fn dot_product(&mut self, request: JsValue) -> Result<JsValue, JsValue> {
        let engine = self.engine.as_ref().ok_or_else(|| bad_request("no model is loaded"))?;
        let token_id = token_of(engine, request)?;
        let block_sums = engine.model().dot_product(&self.device, token_id).await.map_err(rejection)?;
        to_js(&DotProduct::new(engine, token_id, block_sums))
    }
}

pub(super) fn token_of<P: Pass>(engine: &Engine<P>, request: JsValue) -> Result<u32, JsValue> {
    let DotProductRequest { text } = from_js(request)?;
    let ids = engine.tokenizer().encode(&text, SpecialTokens::Literal);
    ids.first().copied().ok_or_else(|| bad_request("the text has no token"))
}

fn lesson_rejection(error: LessonError) -> JsValue {
    reject(&explain_lesson(&error))
}
