//! What several commands take: a model file and what computes; and how an engine starts.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::model_file::ModelFile;
use super::output::one_line;
use super::template_process;
use crate::compare::Scenario;
use crate::generate::{Engine, EngineOptions, Prompt, PromptEncoder, Turn, check_prompt};
use crate::gguf::{GgufFile, GgufStream, limits};
use crate::gpu::{Device, DeviceOptions};
use crate::model::{Model, ModelConfig, ModelLoader, Pass, TwinPass, check_header, notes, zero_note};
use crate::numerics::Numerics;
use crate::tokenizer::{ChatTemplate, TemplateError, TokenId, TokenizerReport, UnknownPreTokenizer};

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

    /// The model of a checked file. What a person may want to know of it goes to standard error.
    pub(super) fn checked(&self) -> Result<CheckedModel, Failure> {
        let (checked, notes) = self.check()?;
        tell(&notes);
        Ok(checked)
    }

    /// The same once more, for a second engine beside the first: its notes were told.
    pub(super) fn checked_again(&self) -> Result<CheckedModel, Failure> {
        Ok(CheckedModel { is_second: true, ..self.check()?.0 })
    }

    /// Opens the file and checks all of its header that a load and an engine check: whatever is wrong with it is told before a GPU is asked
    /// for anything, and before the weights take memory.
    fn check(&self) -> Result<(CheckedModel, Vec<String>), Failure> {
        let mut file = self.open()?;
        let head = file.head()?;
        let bytes_behind = head.bytes_behind;
        let header = head.whole()?;
        let config = check_header(&header).map_err(|error| in_file(&file.path, error))?;
        let encoder = PromptEncoder::new(Arc::clone(&header), self.unknown_pre_tokenizer());
        let mut encoder = encoder.map_err(|error| in_file(&file.path, error))?;
        encoder.choose_template(self.template())?;
        encoder.set_template_host(template_process::host());
        let notes = notes_of(&header, &config, encoder.tokenizer().report(), bytes_behind);
        Ok((CheckedModel { file, header, config, encoder, is_second: false }, notes))
    }
}

/// A model's files with a header that nothing is wrong with.
pub(super) struct CheckedModel {
    file: ModelFile,
    header: Arc<GgufFile>,
    config: ModelConfig,
    encoder: PromptEncoder,
    /// Whether the same file is loaded for another engine, which tells of it.
    is_second: bool,
}

/// What will be run on a model, as far as it is known before the model is loaded.
pub(super) struct Asked<'a> {
    pub(super) prompt: &'a Prompt,
    pub(super) scenario: &'a Scenario,
    /// Texts that go through the cache before the warm run.
    pub(super) before: &'a [String],
}

impl CheckedModel {
    /// Refuses a prompt that an engine of these options would refuse, or that the model's template refuses: before anything is loaded.
    pub(super) async fn check_prompt(&self, prompt: &Prompt, options: EngineOptions) -> Result<(), Failure> {
        let ids = self.ids(prompt).await?;
        Ok(check_prompt(&ids, options, &self.config)?)
    }

    /// Refuses what [`Self::check_prompt`] refuses of all texts that will be run; of a second turn what can be told without the answer.
    pub(super) async fn check_asked(&self, asked: &Asked<'_>, options: EngineOptions) -> Result<(), Failure> {
        self.check_prompt(asked.prompt, options).await?;
        for text in asked.before {
            self.check_prompt(&Prompt::Complete { text: text.clone() }, options).await?;
        }
        let (Scenario::SecondTurn { follow_up, .. }, Prompt::Chat { user }) = (asked.scenario, asked.prompt) else {
            return Ok(());
        };
        // No answer makes the conversation shorter than an empty one. A template that refuses an empty one may take another.
        match self.encoder.encode_second_turn(&Turn { user, reply: "", follow_up }).await {
            Ok(ids) => Ok(check_prompt(&ids, options, &self.config)?),
            Err(_) => Ok(()),
        }
    }

    /// A prompt's token ids.
    pub(super) async fn ids(&self, prompt: &Prompt) -> Result<Vec<TokenId>, Failure> {
        self.encoder.encode(prompt).await.map_err(|error| in_file(&self.file.path, error))
    }

    /// Most positions of one sequence on an engine of these options.
    pub(super) fn context_len(&self, options: EngineOptions) -> u32 {
        options.context_len.min(self.config.context_len)
    }

    /// Opens the device, loads the model, compiles and tests the kernels.
    pub(super) async fn engine(mut self, numerics: Numerics, options: EngineOptions) -> Result<Engine, Failure> {
        let (device, model) = self.load().await?;
        let progress = spinner();
        progress.set_message("preparing weights, compiling and testing kernels");
        let engine = Engine::with_encoder(&device, model, self.encoder, numerics, options).await?;
        progress.finish_and_clear();
        Ok(engine)
    }

    /// Reads the model for the CPU twin.
    pub(super) fn twin_engine(self, numerics: Numerics) -> Result<Engine<TwinPass>, Failure> {
        let stream = self.stream();
        let Self { file, encoder, is_second, .. } = self;
        let path = file.path.clone();
        let model = Model::read_into(file, stream).map_err(|error| in_file(&path, error))?;
        tell_of_weights(is_second, &model);
        Ok(Engine::on_twin_with_encoder(model, encoder, numerics, EngineOptions::default())?)
    }

    /// Opens the device and loads the model onto it.
    pub(super) async fn load(&mut self) -> Result<(Device, Model), Failure> {
        let device = Device::open(DeviceOptions::default()).await?;
        let model = self.load_onto(&device).await?;
        Ok((device, model))
    }

    /// What takes the files' bytes.
    fn stream(&self) -> GgufStream {
        GgufStream::with_header(Arc::clone(&self.header), self.file.len_bytes)
    }

    /// Loads the weights onto the device.
    async fn load_onto(&mut self, device: &Device) -> Result<Model, Failure> {
        let path = self.file.path.clone();
        let progress = progress_bar(self.file.len_bytes, "{msg} {bar:30} {bytes} of {total_bytes}");
        progress.set_message("loading");
        let mut loader = ModelLoader::of_stream(device, self.stream()).map_err(|error| in_file(&path, error))?;
        let mut piece = vec![0; READ_BYTES];
        loop {
            let n = read(&mut self.file, &mut piece, &path)?;
            if n == 0 {
                break;
            }
            loader.push(&piece[..n]).await.map_err(|error| in_file(&path, error))?;
            progress.inc(n as u64);
        }
        progress.finish_and_clear();
        let expected = path.ends_with(DEFAULT_MODEL).then_some(DEFAULT_SHA256);
        let model = loader.finish(expected).await.map_err(|error| in_file(&path, error))?;
        tell_of_weights(self.is_second, &model);
        Ok(model)
    }
}

/// Tells what is known of a file once its weights were read.
fn tell_of_weights<W>(is_second: bool, model: &Model<W>) {
    if !is_second {
        tell(&zero_note(&model.zero_matrices));
    }
}

/// Tells on standard error.
fn tell<'a>(notes: impl IntoIterator<Item = &'a String>) {
    for note in notes {
        eprintln!("note: {}", one_line(note));
    }
}

/// What a person may want to know of a file that runs.
pub(super) fn notes_of(
    header: &GgufFile,
    config: &ModelConfig,
    tokenizer: &TokenizerReport,
    bytes_behind: u64,
) -> Vec<String> {
    let mut notes = notes(&header.metadata, config);
    notes.extend(tokenizer.doubt());
    match ChatTemplate::from_metadata(&header.metadata, None) {
        Ok(_) | Err(TemplateError::Missing) => {}
        Err(error) => notes.push(format!("chats are refused with the file's own template: {error}")),
    }
    if bytes_behind > 0 {
        let wrong =
            "if the file was written with another alignment than it says, every weight is read from a wrong place";
        let told = format!("{bytes_behind} bytes behind the last tensor are no part of the model and are not read");
        let could_be_padding = (header.alignment..=limits::ALIGNMENT).contains(&bytes_behind);
        notes.push(if could_be_padding { format!("{told}; {wrong}") } else { told });
    }
    notes
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

/// Which chat template the model's file has; none where it has none.
pub(super) fn template_report<P: Pass>(engine: &Engine<P>) -> Option<serde_json::Value> {
    let told = |template: &ChatTemplate| serde_json::json!({ "name": template.name(), "sha256": template.sha256(), "known_as": template.known_as() });
    engine.encoder().chat_template().ok().map(told)
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
