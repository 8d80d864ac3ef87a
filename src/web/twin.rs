//! The CPU twin at the boundary to JavaScript.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::header::WebModelHeader;
use super::lesson::token_of;
use super::{CHUNK_ROWS, WebCancelToken, compared, engine_options, from_js, rejection, template_host, to_js};
use crate::generate::{CancelToken, Engine};
use crate::gguf::GgufStream;
use crate::model::{Model, Pause, TwinPass};
use crate::numerics::{Formats, Numerics, Order};
use crate::page::{ConfigureOptions, DotProduct, LoadOptions, ModelReport};

/// The CPU twin as an engine, for browsers without WebGPU: it needs no adapter, is slow, and computes with the same arithmetic.
#[wasm_bindgen(js_name = TwinEngine)]
#[derive(Debug)]
pub struct WebTwinEngine {
    pub(super) engine: Engine<TwinPass>,
    pause: js_sys::Function,
    formats: Formats,
    order: Order,
}

#[wasm_bindgen(js_class = TwinEngine)]
impl WebTwinEngine {
    /// Takes a whole model file, or with `parts` the bytes of several, one behind the other.
    /// `render_template` is that of `Engine.create`. `pause` gives a promise, which is awaited before every layer: the twin computes on the
    /// thread of whoever calls, and a stop sign can be raised only in between.
    ///
    /// # Errors
    /// Rejects with `hash-mismatch`, `bad-file`, and `bad-request` for numerics that cannot be.
    pub fn create(
        file: Vec<u8>,
        parts: Option<WebModelHeader>,
        options: JsValue,
        render_template: js_sys::Function,
        pause: js_sys::Function,
    ) -> Result<WebTwinEngine, JsValue> {
        let LoadOptions { expected_sha256, formats, order, load_anyway } = from_js(options)?;
        let stream = match parts {
            Some(parts) => parts.stream()?,
            None => GgufStream::new(Some(file.len() as u64)),
        };
        let model = Model::read_into(file.as_slice(), stream).map_err(rejection)?;
        drop(file);
        model.check_sha256(expected_sha256.as_deref()).map_err(rejection)?;
        let numerics = Numerics::new(formats, order, CHUNK_ROWS);
        let mut engine = Engine::on_twin(model, numerics, engine_options(load_anyway)).map_err(rejection)?;
        engine.set_template_host(template_host(render_template));
        Ok(Self { engine, pause, formats, order })
    }

    /// What model this is.
    ///
    /// # Errors
    /// Only if the report cannot become an object.
    pub fn model(&self) -> Result<JsValue, JsValue> {
        to_js(&ModelReport::of(&self.engine))
    }

    /// Changes formats and order (an empty cache) and the chat template.
    ///
    /// # Errors
    /// Rejects with `bad-request` for numerics that cannot be, and where the file has no template of that name.
    pub fn configure(&mut self, options: JsValue) -> Result<JsValue, JsValue> {
        let ConfigureOptions { formats, order, template } = from_js(options)?;
        self.engine.configure(Numerics::new(formats, order, CHUNK_ROWS)).map_err(rejection)?;
        self.engine.choose_template(template.as_deref()).map_err(rejection)?;
        (self.formats, self.order) = (formats, order);
        to_js(&ModelReport::of(&self.engine))
    }

    /// As `Engine.dot_product`.
    ///
    /// # Errors
    /// Rejects with `bad-request` without a token.
    pub fn dot_product(&self, request: JsValue) -> Result<JsValue, JsValue> {
        let token_id = token_of(&self.engine, request)?;
        let block_sums = self.engine.model().dot_product(token_id).map_err(rejection)?;
        to_js(&DotProduct::new(&self.engine, token_id, block_sums))
    }

    /// Runs cold A, cold B and warm, telling `on_event` of every step.
    ///
    /// # Errors
    /// As `Engine.compare`.
    pub async fn compare(
        &mut self,
        request: JsValue,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        self.listen_to(&cancel.0);
        compared(&mut self.engine, self.formats, self.order, request, cancel, on_event).await
    }
}

impl WebTwinEngine {
    /// Pauses between layers, in which this stop sign can be raised.
    pub(super) fn listen_to(&mut self, stop_sign: &CancelToken) {
        let (pause, stop_sign) = (self.pause.clone(), stop_sign.clone());
        self.engine.pass().set_pause(Pause::awaiting(move || {
            let promised = pause.call0(&JsValue::NULL).map(js_sys::Promise::from);
            let stop_sign = stop_sign.clone();
            Box::pin(async move {
                // A pause that fails is a short one.
                if let Ok(promise) = promised {
                    let _ = JsFuture::from(promise).await;
                }
                !stop_sign.is_cancelled()
            })
        }));
    }
}
