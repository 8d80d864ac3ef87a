//! The boundary to JavaScript: takes plain values, calls one function, gives plain objects. It decides nothing.
//!
//! Every rejection is `{ code, message, what_to_do }`. Field names are the Rust types' own.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::compare::report::step_report;
use crate::compare::{CompareEvent, CompareRequest, Comparison, RunName, compare};
use crate::error::{Explained, explain};
use crate::generate::{CancelToken, Engine, EngineOptions, GenerateError, RunEvent};
use crate::gpu::{Device, DeviceOptions};
use crate::model::{Model, ModelConfig, ModelLoader, Pass, Pause, SelfTest, TwinPass};
use crate::numerics::{Formats, Numerics, Order};
use crate::tokenizer::{ChatTemplate, TemplateError, TemplateHost, TokenizerReport};

/// Rows of one prefill step: few enough for a software adapter to show progress.
const CHUNK_ROWS: u32 = 32;

/// Shows where our code panicked, should it.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// A stop sign for a comparison in progress.
#[wasm_bindgen(js_name = CancelToken)]
#[derive(Debug, Default)]
pub struct WebCancelToken(CancelToken);

#[wasm_bindgen(js_class = CancelToken)]
impl WebCancelToken {
    /// A stop sign that is not raised.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises it.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

#[derive(Debug, Deserialize)]
struct CreateOptions {
    subgroups: bool,
}

/// What the function rejects with that renders templates.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum RendererFailure {
    TimedOut { limit_ms: u64 },
    Crashed { how: String },
}

#[derive(Debug, Serialize)]
struct ModelReport<'a> {
    #[serde(flatten)]
    config: &'a ModelConfig,
    sha256: String,
    len_bytes: u64,
    tensor_types: std::collections::BTreeMap<&'static str, usize>,
    self_test: &'a SelfTest,
    chunk_rows: u32,
    max_context_len: u32,
    tokenizer: &'a TokenizerReport,
    template_sha256: Option<String>,
}

#[derive(Debug, Serialize)]
struct WebEvent<T> {
    run: RunName,
    #[serde(flatten)]
    event: T,
}

#[derive(Debug, Serialize)]
struct WebToken {
    kind: &'static str,
    index: usize,
    text: String,
    step: crate::compare::report::StepReport,
}

/// What the page's worker drives.
#[wasm_bindgen(js_name = Engine)]
#[derive(Debug)]
pub struct WebEngine {
    device: Device,
    loader: Option<ModelLoader>,
    engine: Option<Engine>,
    template_host: TemplateHost,
    formats: Formats,
    order: Order,
}

#[wasm_bindgen(js_class = Engine)]
impl WebEngine {
    /// Opens the browser's adapter. `options`: `{ subgroups }`, whether the page's shim asked for that feature.
    /// `render_template` takes a request as JSON and gives a promise of its reply as JSON, which another wasm instance makes.
    ///
    /// # Errors
    /// Rejects with `no-adapter` or `device-refused`.
    pub async fn create(options: JsValue, render_template: js_sys::Function) -> Result<WebEngine, JsValue> {
        let options: CreateOptions = from_js(options)?;
        let options = DeviceOptions { subgroups: options.subgroups, ..Default::default() };
        let device = Device::open(options).await.map_err(rejection)?;
        let template_host = template_host(render_template);
        Ok(Self { device, loader: None, engine: None, template_host, formats: Formats::Int8, order: Order::ByShape })
    }

    /// What device this is.
    ///
    /// # Errors
    /// Only if the report cannot become an object.
    pub fn device(&self) -> Result<JsValue, JsValue> {
        to_js(self.device.report())
    }

    /// Begins to take a model file of `total_bytes` bytes, dropping any model or unfinished file before it.
    pub fn begin_model(&mut self, total_bytes: f64) {
        self.engine = None;
        let total_bytes = (total_bytes >= 1.0).then_some(total_bytes as u64);
        self.loader = Some(ModelLoader::new(&self.device, total_bytes));
    }

    /// Takes the file's next bytes.
    ///
    /// # Errors
    /// Rejects with `bad-file`, `out-of-memory`, `device-lost`.
    pub async fn push_model(&mut self, bytes: Vec<u8>) -> Result<JsValue, JsValue> {
        let loader = self.loader.as_mut().ok_or_else(|| bad_request("no file was begun"))?;
        let progress = loader.push(&bytes).await.map_err(rejection)?;
        to_js(&progress)
    }

    /// Checks the file's hash, compiles every kernel and tests each against its CPU twin.
    ///
    /// # Errors
    /// Rejects with `hash-mismatch`, `bad-file`, `shader-failed`, `self-test-failed`, `out-of-memory`, `device-lost`.
    pub async fn finish_model(
        &mut self,
        expected_sha256: Option<String>,
        formats: JsValue,
        order: JsValue,
    ) -> Result<JsValue, JsValue> {
        let loader = self.loader.take().ok_or_else(|| bad_request("no file was begun"))?;
        (self.formats, self.order) = (from_js(formats)?, from_js(order)?);
        let model = loader.finish(expected_sha256.as_deref()).await.map_err(rejection)?;
        let numerics = Numerics::new(self.formats, self.order, CHUNK_ROWS);
        let mut engine =
            Engine::new(&self.device, model, numerics, EngineOptions::default()).await.map_err(rejection)?;
        engine.set_template_host(self.template_host.clone());
        let report = model_report(&engine);
        self.engine = Some(engine);
        report
    }

    /// Changes formats and order: other kernels, an empty cache.
    ///
    /// # Errors
    /// As `finish_model`.
    pub async fn configure(&mut self, formats: JsValue, order: JsValue) -> Result<JsValue, JsValue> {
        let (formats, order) = (from_js(formats)?, from_js(order)?);
        let engine = self.engine.as_mut().ok_or_else(|| bad_request("no model is loaded"))?;
        engine.configure(Numerics::new(formats, order, CHUNK_ROWS)).await.map_err(rejection)?;
        (self.formats, self.order) = (formats, order);
        model_report(engine)
    }

    /// Runs cold A, cold B and warm, telling `on_event` of every step.
    ///
    /// # Errors
    /// Rejects with `bad-request` where the request is not one. A failing run resolves with verdict `error` and the runs before it.
    pub async fn compare(
        &mut self,
        request: JsValue,
        cancel: &WebCancelToken,
        on_event: js_sys::Function,
    ) -> Result<JsValue, JsValue> {
        let engine = self.engine.as_mut().ok_or_else(|| bad_request("no model is loaded"))?;
        compared(engine, self.formats, self.order, request, cancel, on_event).await
    }
}

/// The CPU twin as an engine, for browsers without WebGPU: it needs no adapter, is slow, and computes with the same arithmetic.
#[wasm_bindgen(js_name = TwinEngine)]
#[derive(Debug)]
pub struct WebTwinEngine {
    engine: Engine<TwinPass>,
    pause: js_sys::Function,
    formats: Formats,
    order: Order,
}

#[wasm_bindgen(js_class = TwinEngine)]
impl WebTwinEngine {
    /// Takes a whole model file.
    /// `render_template` is that of `Engine.create`. `pause` gives a promise, which is awaited before every layer: the twin computes on the
    /// thread of whoever calls, and a stop sign can be raised only in between.
    ///
    /// # Errors
    /// Rejects with `hash-mismatch`, `bad-file`, and `bad-request` for numerics that cannot be.
    pub fn create(
        file: Vec<u8>,
        expected_sha256: Option<String>,
        formats: JsValue,
        order: JsValue,
        render_template: js_sys::Function,
        pause: js_sys::Function,
    ) -> Result<WebTwinEngine, JsValue> {
        let (formats, order) = (from_js(formats)?, from_js(order)?);
        let model = Model::read(file.as_slice(), Some(file.len() as u64)).map_err(rejection)?;
        drop(file);
        model.check_sha256(expected_sha256.as_deref()).map_err(rejection)?;
        let numerics = Numerics::new(formats, order, CHUNK_ROWS);
        let mut engine = Engine::on_twin(model, numerics, EngineOptions::default()).map_err(rejection)?;
        engine.set_template_host(template_host(render_template));
        Ok(Self { engine, pause, formats, order })
    }

    /// What model this is.
    ///
    /// # Errors
    /// Only if the report cannot become an object.
    pub fn model(&self) -> Result<JsValue, JsValue> {
        model_report(&self.engine)
    }

    /// Changes formats and order, and empties the cache.
    ///
    /// # Errors
    /// Rejects with `bad-request` for numerics that cannot be.
    pub fn configure(&mut self, formats: JsValue, order: JsValue) -> Result<JsValue, JsValue> {
        let (formats, order) = (from_js(formats)?, from_js(order)?);
        self.engine.configure(Numerics::new(formats, order, CHUNK_ROWS)).map_err(rejection)?;
        (self.formats, self.order) = (formats, order);
        model_report(&self.engine)
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
        let (pause, stop_sign) = (self.pause.clone(), cancel.0.clone());
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
        compared(&mut self.engine, self.formats, self.order, request, cancel, on_event).await
    }
}

async fn compared<P: Pass>(
    engine: &mut Engine<P>,
    formats: Formats,
    order: Order,
    request: JsValue,
    cancel: &WebCancelToken,
    on_event: js_sys::Function,
) -> Result<JsValue, JsValue> {
    let request: CompareRequest = from_js(request)?;
    let cancel = cancel.0.clone();
    let tokenizer = engine.tokenizer().clone();
    let runs = compare(engine, &request, &cancel, |event| {
        // A listener that throws must not end the comparison.
        let _ = web_event(event, &tokenizer).and_then(|event| on_event.call1(&JsValue::NULL, &event));
    })
    .await;
    to_js(&Comparison::new(&runs, &tokenizer, formats, order))
}

/// The host that asks `render`, see `Engine.create`.
fn template_host(render: js_sys::Function) -> TemplateHost {
    TemplateHost::elsewhere(move |request| {
        let promised = render.call1(&JsValue::NULL, &request.into()).map(js_sys::Promise::from);
        Box::pin(async move {
            let reply = match promised {
                Ok(promise) => JsFuture::from(promise).await,
                Err(thrown) => Err(thrown),
            };
            reply.map_err(template_error)?.as_string().ok_or_else(|| TemplateError::Crashed { how: "no answer".into() })
        })
    })
}

fn template_error(rejected: JsValue) -> TemplateError {
    match serde_wasm_bindgen::from_value(rejected) {
        Ok(RendererFailure::TimedOut { limit_ms }) => TemplateError::TimedOut { limit_ms },
        Ok(RendererFailure::Crashed { how }) => TemplateError::Crashed { how },
        Err(unknown) => TemplateError::Crashed { how: unknown.to_string() },
    }
}

fn model_report<P: Pass>(engine: &Engine<P>) -> Result<JsValue, JsValue> {
    let model = engine.model();
    to_js(&ModelReport {
        config: &model.config,
        sha256: model.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        len_bytes: model.len_bytes,
        tensor_types: model.file.tensor_types(),
        self_test: engine.self_test(),
        chunk_rows: engine.numerics().chunk_rows,
        max_context_len: engine.context_len(),
        tokenizer: engine.tokenizer().report(),
        template_sha256: engine.chat_template().ok().map(ChatTemplate::sha256),
    })
}

fn web_event(event: CompareEvent, tokenizer: &crate::tokenizer::Tokenizer) -> Result<JsValue, JsValue> {
    let CompareEvent { run, event } = event;
    match event {
        RunEvent::Token { index, text, step } => {
            let step = step_report(&step, tokenizer);
            to_js(&WebEvent { run, event: WebToken { kind: "token", index, text, step } })
        }
        event => to_js(&WebEvent { run, event }),
    }
}

fn rejection(error: impl Into<GenerateError>) -> JsValue {
    reject(&explain(&error.into()))
}

fn bad_request(message: &str) -> JsValue {
    reject(&Explained {
        code: "bad-request",
        message: message.to_owned(),
        what_to_do: "Reload the page; if it happens again, please report it.".to_owned(),
    })
}

fn reject(explained: &Explained) -> JsValue {
    to_js(explained).unwrap_or_else(|error| error)
}

fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(|error| bad_request(&error.to_string()))
}

fn to_js<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(JsValue::from)
}
