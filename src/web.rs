//! The boundary to JavaScript: takes plain values, calls one function, gives plain objects. It decides nothing.
//!
//! Every rejection is `{ code, message, what_to_do }`. Field names are the Rust types' own.

mod ablation;
mod dissection;
mod header;
mod lesson;
mod noise;
mod parts;
mod shapes;
mod twin;
mod twin_check;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::compare::{CompareRequest, Comparison, compare};
use crate::error::{Explained, explain};
use crate::generate::{CancelToken, Engine, EngineOptions, GenerateError};
use crate::gguf::MetadataValue;
use crate::gpu::{Device, DeviceOptions};
use crate::lesson::Lesson;
use crate::model::{ModelLoader, Pass};
use crate::numerics::{Formats, Numerics, Order};
use crate::page::{
    CompareEvent, ConfigureOptions, CreateOptions, FromPage, LoadOptions, ModelReport, TemplateFailure, ToPage,
};
use crate::tiny_model::TinyModel;
use crate::tokenizer::{TemplateError, TemplateHost, UnknownPreTokenizer};
use header::WebModelHeader;
pub use lesson::lesson_on_twin;
pub use parts::{WebFileHash, part_names};

/// Rows of one prefill step: few enough for a software adapter to show progress.
const CHUNK_ROWS: u32 = 32;

/// Shows where our code panicked, should it.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// The seeded tiny model as one GGUF file, or as the parts of one: something to give the page that shows bits and never language.
/// `templates` holds names and sources of chat templates besides its own, in turn.
#[wasm_bindgen(js_name = tinyModel)]
pub fn tiny_model(seed: u32, n_parts: usize, templates: Vec<String>) -> Vec<js_sys::Uint8Array> {
    let mut writer = TinyModel { seed: seed.into(), ..TinyModel::default() }.writer();
    for template in templates.chunks_exact(2) {
        writer
            .metadata(&format!("tokenizer.chat_template.{}", template[0]), MetadataValue::String(template[1].clone()));
    }
    let files = if n_parts > 1 { writer.to_parts(n_parts) } else { vec![writer.to_bytes()] };
    files.iter().map(|file| js_sys::Uint8Array::from(file.as_slice())).collect()
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

/// What the page's worker drives.
#[wasm_bindgen(js_name = Engine)]
#[derive(Debug)]
pub struct WebEngine {
    device: Device,
    lesson: Lesson,
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
        let lesson = Lesson::new(&device);
        Ok(Self {
            device,
            lesson,
            loader: None,
            engine: None,
            template_host,
            formats: Formats::Int8,
            order: Order::ByShape,
        })
    }

    /// What device this is.
    ///
    /// # Errors
    /// Only if the report cannot become an object.
    pub fn device(&self) -> Result<JsValue, JsValue> {
        to_js(self.device.report())
    }

    /// Begins to take a model file of `total_bytes` bytes (0 where that is unknown), dropping an unfinished file before it; a loaded model
    /// stays until the new one is ready. With `parts` the bytes are those of several files, one behind the other.
    ///
    /// # Errors
    /// Rejects with `bad-file` where the parts do not make a model.
    pub fn begin_model(&mut self, total_bytes: f64, parts: Option<WebModelHeader>) -> Result<(), JsValue> {
        let total_bytes = (total_bytes >= 1.0).then_some(total_bytes as u64);
        self.loader = None;
        self.loader = Some(match parts {
            Some(parts) => ModelLoader::of_stream(&self.device, parts.stream()?).map_err(rejection)?,
            None => ModelLoader::new(&self.device, total_bytes),
        });
        Ok(())
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

    /// Checks the file's hash, compiles every kernel and tests each against its CPU twin. Once the promise `stop` gives something, all of
    /// that is dropped, and this rejects with what it gave; a model that was loaded before stays.
    ///
    /// # Errors
    /// Rejects with `hash-mismatch`, `bad-file`, `shader-failed`, `self-test-failed`, `out-of-memory`, `device-lost`.
    pub async fn finish_model(&mut self, options: JsValue, stop: js_sys::Promise) -> Result<JsValue, JsValue> {
        let loader = self.loader.take().ok_or_else(|| bad_request("no file was begun"))?;
        let LoadOptions { expected_sha256, formats, order, load_anyway } = from_js(options)?;
        let numerics = Numerics::new(formats, order, CHUNK_ROWS);
        // Two sequences: a fork is taken apart side by side.
        let options = EngineOptions { n_sequences: 2, ..engine_options(load_anyway) };
        let device = self.device.clone();
        let work = async move {
            let model = loader.finish(expected_sha256.as_deref()).await.map_err(rejection)?;
            Engine::new(&device, model, numerics, options).await.map_err(rejection)
        };
        let mut engine = unless_stopped(work, stop).await?;
        engine.set_template_host(self.template_host.clone());
        let report = to_js(&ModelReport::of(&engine));
        self.engine = Some(engine);
        (self.formats, self.order) = (formats, order);
        report
    }

    /// Changes formats and order (other kernels, an empty cache) and the chat template.
    ///
    /// # Errors
    /// As `finish_model`, and where the file has no template of that name.
    pub async fn configure(&mut self, options: JsValue) -> Result<JsValue, JsValue> {
        let ConfigureOptions { formats, order, template } = from_js(options)?;
        let engine = self.loaded()?;
        engine.configure(Numerics::new(formats, order, CHUNK_ROWS)).await.map_err(rejection)?;
        engine.choose_template(template.as_deref()).map_err(rejection)?;
        let report = to_js(&ModelReport::of(engine));
        (self.formats, self.order) = (formats, order);
        report
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
        let (formats, order) = (self.formats, self.order);
        compared(self.loaded()?, formats, order, request, cancel, on_event).await
    }
}

impl WebEngine {
    /// The engine, once a model is in it.
    fn loaded(&mut self) -> Result<&mut Engine, JsValue> {
        self.engine.as_mut().ok_or_else(|| bad_request("no model is loaded"))
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
        tell(&on_event, &CompareEvent::new(event, &tokenizer));
    })
    .await;
    to_js(&Comparison::new(&runs, &tokenizer, formats, order))
}

/// What `work` gives; or what `stop` gives, where that is first. The work is looked after between its waits for the GPU.
async fn unless_stopped<T>(
    work: impl Future<Output = Result<T, JsValue>>,
    stop: js_sys::Promise,
) -> Result<T, JsValue> {
    let (mut work, mut stop) = (pin!(work), pin!(JsFuture::from(stop)));
    poll_fn(|context| match stop.as_mut().poll(context) {
        Poll::Ready(Ok(reason) | Err(reason)) => Poll::Ready(Err(reason)),
        Poll::Pending => work.as_mut().poll(context),
    })
    .await
}

/// Tells a listener of an event. One that throws must not end what it listens to.
fn tell(listener: &js_sys::Function, event: &impl ToPage) {
    let _ = to_js(event).and_then(|event| listener.call1(&JsValue::NULL, &event));
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
    match read(rejected) {
        Ok(TemplateFailure::TimedOut { limit_ms }) => TemplateError::TimedOut { limit_ms },
        Ok(TemplateFailure::Crashed { how }) => TemplateError::Crashed { how },
        Err(unknown) => TemplateError::Crashed { how: unknown.to_string() },
    }
}

fn engine_options(load_anyway: bool) -> EngineOptions {
    let unknown_pre_tokenizer = if load_anyway { UnknownPreTokenizer::LoadAnyway } else { UnknownPreTokenizer::Refuse };
    EngineOptions { unknown_pre_tokenizer, ..EngineOptions::default() }
}

fn rejection(error: impl Into<GenerateError>) -> JsValue {
    reject(&explain(&error.into()))
}

fn bad_request(message: &str) -> JsValue {
    reject(&Explained {
        code: "bad-request",
        fault: None,
        message: message.to_owned(),
        what_to_do: "Reload the page; if it happens again, please report it.".to_owned(),
    })
}

fn reject(explained: &Explained) -> JsValue {
    to_js(explained).unwrap_or_else(|error| error)
}

fn from_js<T: FromPage>(value: JsValue) -> Result<T, JsValue> {
    read(value).map_err(|error| bad_request(&error.to_string()))
}

fn read<T: FromPage>(value: JsValue) -> Result<T, serde_wasm_bindgen::Error> {
    serde_wasm_bindgen::from_value(value)
}

fn to_js(value: &impl ToPage) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(JsValue::from)
}
