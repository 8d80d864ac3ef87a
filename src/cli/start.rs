//! What several commands take: a model file and what computes; and how an engine starts.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::model_file::ModelFile;
use super::template_process;
use crate::generate::{Engine, EngineOptions};
use crate::gpu::{Device, DeviceOptions};
use crate::model::{Model, ModelLoader, Pass, TwinPass};
use crate::numerics::Numerics;
use crate::tokenizer::{ChatTemplate, UnknownPreTokenizer};

/// Bytes read from a model file at once.
const READ_BYTES: usize = 1 << 20;

/// The model that is run when none is named.
const DEFAULT_MODEL: &str = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

/// SHA-256 of that file. A file named by a person may be any.
const DEFAULT_SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

pub(super) const NO_FILE: &str = "Name a GGUF file with --model or the environment variable LASTBIT_MODEL, or run `make model`, which fetches the default one.";

/// Which model.
#[derive(Debug, Clone, Args)]
pub(super) struct ModelArgs {
    /// GGUF file [default: the environment variable LASTBIT_MODEL, then SmolLM2-135M-Instruct where `make` keeps it]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Load a file whose pre-tokenizer is unknown, with the rule `default`: its ids may be wrong, and the JSON says so
    #[arg(long)]
    load_anyway: bool,
    /// Chat template of this name, of those that the file brings besides its default one
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
}

impl ModelArgs {
    /// The path, from the option, the environment, or the cache folder.
    pub(super) fn path(&self) -> Result<PathBuf, Failure> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = self.model.clone().or_else(|| variable("LASTBIT_MODEL")) {
            return Ok(path);
        }
        let user_cache = || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
        let cache = variable("LASTBIT_CACHE").or_else(|| Some(user_cache()?.join("lastbit")));
        let cache =
            cache.ok_or_else(|| Failure::bad_request("no model file was named, and HOME is not set", NO_FILE))?;
        Ok(cache.join(DEFAULT_MODEL))
    }

    /// What to do with a vocabulary whose rule of words is unknown.
    pub(super) fn unknown_pre_tokenizer(&self) -> UnknownPreTokenizer {
        if self.load_anyway { UnknownPreTokenizer::LoadAnyway } else { UnknownPreTokenizer::Refuse }
    }

    /// The name of the chat template that was asked for.
    pub(super) fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    /// The opened file, or files where the model has several parts.
    pub(super) fn open(&self) -> Result<ModelFile, Failure> {
        ModelFile::open(self.path()?)
    }

    /// Loads the model onto the device.
    pub(super) async fn load(&self, device: &Device) -> Result<Model, Failure> {
        let mut file = self.open()?;
        let path = file.path.clone();
        let progress = progress_bar(file.len_bytes, "{msg} {bar:30} {bytes} of {total_bytes}");
        progress.set_message("loading");
        let stream = file.stream()?;
        let mut loader = ModelLoader::of_stream(device, stream).map_err(|error| in_file(&path, error))?;
        let mut piece = vec![0; READ_BYTES];
        loop {
            let n = read(&mut file, &mut piece, &path)?;
            if n == 0 {
                break;
            }
            loader.push(&piece[..n]).await.map_err(|error| in_file(&path, error))?;
            progress.inc(n as u64);
        }
        progress.finish_and_clear();
        let expected = path.ends_with(DEFAULT_MODEL).then_some(DEFAULT_SHA256);
        loader.finish(expected).await.map_err(|error| in_file(&path, error))
    }
}

/// A failure that says which file.
pub(super) fn in_file(path: &Path, error: impl Into<Failure>) -> Failure {
    match error.into() {
        Failure::Explained(mut explained) if explained.code == "bad-file" => {
            explained.message = format!("{}: {}", path.display(), explained.message);
            Failure::Explained(explained)
        }
        other => other,
    }
}

/// Reads the next bytes of a file; 0 at its end.
pub(super) fn read(file: &mut impl Read, piece: &mut [u8], path: &Path) -> Result<usize, Failure> {
    loop {
        match file.read(piece) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::file("no-file", path, &error, NO_FILE)),
            Ok(n) => return Ok(n),
        }
    }
}

/// What computes.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct TwinArgs {
    /// Compute on the CPU twin of the kernels instead of a GPU: slow, same arithmetic
    #[arg(long)]
    pub(super) twin: bool,
}

/// Opens the device, loads the model, compiles and tests the kernels.
pub(super) async fn engine(model: &ModelArgs, numerics: Numerics) -> Result<Engine, Failure> {
    engine_with(model, numerics, EngineOptions::default()).await
}

/// The same with memory of other sizes.
pub(super) async fn engine_with(
    model: &ModelArgs,
    numerics: Numerics,
    options: EngineOptions,
) -> Result<Engine, Failure> {
    // A missing file is told before the GPU is asked for anything.
    model.open()?;
    let device = Device::open(DeviceOptions::default()).await?;
    let options = EngineOptions { unknown_pre_tokenizer: model.unknown_pre_tokenizer(), ..options };
    let template = model.template();
    let model = model.load(&device).await?;
    let progress = spinner();
    progress.set_message("preparing weights, compiling and testing kernels");
    let mut engine = Engine::new(&device, model, numerics, options).await?;
    engine.choose_template(template)?;
    engine.set_template_host(template_process::host());
    progress.finish_and_clear();
    Ok(engine)
}

/// Reads the model for the CPU twin.
pub(super) fn twin_engine(model: &ModelArgs, numerics: Numerics) -> Result<Engine<TwinPass>, Failure> {
    let options = EngineOptions { unknown_pre_tokenizer: model.unknown_pre_tokenizer(), ..EngineOptions::default() };
    let mut file = model.open()?;
    let (path, stream) = (file.path.clone(), file.stream()?);
    let template = model.template();
    let model = Model::read_into(file, stream).map_err(|error| in_file(&path, error))?;
    let mut engine = Engine::on_twin(model, numerics, options)?;
    engine.choose_template(template)?;
    engine.set_template_host(template_process::host());
    Ok(engine)
}

/// Which chat template the model's file has; none where it has none.
pub(super) fn template_report<P: Pass>(engine: &Engine<P>) -> Option<serde_json::Value> {
    let told = |template: &ChatTemplate| serde_json::json!({ "name": template.name(), "sha256": template.sha256(), "known_as": template.known_as() });
    engine.chat_template().ok().map(told)
}

/// What the twin is, where a device would be reported.
pub(super) fn twin_report() -> serde_json::Value {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    serde_json::json!({ "name": TWIN, "software": true, "threads": threads })
}

/// The twin's name where a device's would stand.
pub(super) const TWIN: &str = "CPU twin (slow, same arithmetic)";

/// A bar on standard error; hidden where that is no terminal.
pub(super) fn progress_bar(len: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("a template of this program");
    ProgressBar::new(len).with_style(style)
}

/// A line on standard error that says what goes on; hidden where that is no terminal.
pub(super) fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a template of this program");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.enable_steady_tick(std::time::Duration::from_millis(200));
    spinner
}
