// The worker: owns the wasm engine and the GPU, or the engine's twin on the CPU, and answers one call at a time.

import type { CancelToken, Engine, ModelHeader, TwinEngine } from "lastbit-engine";
import type {
  CompareRequest,
  ConfigureOptions,
  DotProduct,
  EngineError,
  LessonAnswer,
  ModelReport,
} from "../shared/engine-records";
import type {
  AdapterProbe,
  Call,
  CallResult,
  CheckCallOptions,
  CheckedSource,
  LoadedModel,
  ModelSource,
  Progress,
  Request,
  Response,
  Simulation,
} from "../shared/protocol";
import { askThroughWorker } from "./ask";
import { engineErrorFrom, refusedCall, whyBrokenOff } from "./errors";
import { completedReport, deviceLost, type GrantedDevices, probeAdapter, wrapRequestDevice } from "./gpu";
import { readFileHeader, readFileHeaders, UrlHeaderReading } from "./header-reading";
import { ModelStore } from "./model-store";
import { ModelTransfers } from "./model-transfer";
import { renderTemplate } from "./template-renderer";
import { type ModelLoader, messagesAreHeard, TwinLoader } from "./twin-loader";

declare const self: DedicatedWorkerGlobalScope;

/** With ?gpu=lost the device is destroyed, and with ?engine=crash the engine breaks down, at this token event of a comparison. */
const SIMULATED_FAILURE_AT_TOKEN = 8;
/** How long the engine may take to report a lost device itself. */
const LOSS_GRACE_MS = 2000;

const granted: GrantedDevices = { current: null };
let simulation: Simulation = { gpu: "real", engine: "real", subgroups: "auto" };
let probe: AdapterProbe | null = null;
let engine: Engine | null = null;
/** Takes the engine's place where there is no GPU and a person chose so. */
let twin: TwinEngine | null = null;
let loader: ModelLoader | null = null;
let transfers: ModelTransfers | null = null;
/** The header that was read last. */
let checkedHeader: ModelHeader | null = null;
const ask = askThroughWorker();
const store = new ModelStore();
let lost: Promise<EngineError> = new Promise(() => {});
let lossSoFar: EngineError | null = null;
let callInProgress: { cancel: () => void } | null = null;

self.onmessage = (message: MessageEvent<Request>) => {
  const request = message.data;
  switch (request.kind) {
    case "cancel":
      callInProgress?.cancel();
      return;
    case "call":
      void answer(request.id, request.call);
      return;
  }
};

async function answer(id: number, call: Call): Promise<void> {
  if (callInProgress) {
    post({ kind: "failed", id, error: refusedCall("another call is still running") });
    return;
  }
  const abort = new AbortController();
  callInProgress = { cancel: () => abort.abort() };
  const report = (progress: Progress) => post({ kind: "progress", id, progress });
  try {
    const result = await run(call, abort.signal, report);
    callInProgress = null;
    post({ kind: "done", id, result });
  } catch (reason) {
    callInProgress = null;
    post({ kind: "failed", id, error: engineErrorFrom(reason) });
  }
}

function run(
  call: Call,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CallResult[Call["kind"]]> {
  switch (call.kind) {
    case "probe":
      return probeGpu(call.simulation);
    case "check-model":
      return checkModel(call, signal);
    case "check-again":
      return checkAgain(call);
    case "load-model":
      simulation = call.simulation;
      return loadModel(call, signal, report);
    case "configure":
      return configure(call.options);
    case "compare":
      return compare(call.request, signal, report);
    case "dissect":
      return dissect(call.request, signal, report);
    case "ablate":
      return ablate(call.request, signal, report);
    case "lesson":
      return lesson(call);
    case "dot-product":
      return dotProduct(call.text);
  }
}

async function probeGpu(requested: Simulation): Promise<AdapterProbe> {
  simulation = requested;
  probe = await probeAdapter(self.navigator.gpu, self.isSecureContext, simulation);
  return probe;
}

async function checkModel(
  { source, ...options }: Extract<Call, { kind: "check-model" }>,
  signal: AbortSignal,
): Promise<CheckedSource> {
  const wasm = await engineModule();
  const header = new wasm.ModelHeader();
  try {
    const told = await readHeader(source, header, signal);
    const checked = { ...told, ...check(header, options) };
    checkedHeader?.free();
    checkedHeader = header;
    return checked;
  } catch (reason) {
    header.free();
    throw reason;
  }
}

/** From the files, from this browser's storage, or a few pieces of an address. */
async function readHeader(
  source: ModelSource,
  header: ModelHeader,
  signal: AbortSignal,
): Promise<Pick<CheckedSource, "len_bytes" | "redirected_to" | "n_files">> {
  if (source.kind === "files") {
    await readFileHeaders(source.files, header);
    const len_bytes = source.files.reduce((sum, { size }) => sum + size, 0);
    return { len_bytes, redirected_to: null, n_files: source.files.length };
  }
  const kept = await store.find(source.url);
  if (kept !== null) {
    await readFileHeader(kept.file, kept.record.name, header);
    return { len_bytes: kept.record.len_bytes, redirected_to: null, n_files: 1 };
  }
  const remote = await new UrlHeaderReading(source.url, self.location.origin, ask).run(header, signal);
  return { ...remote, n_files: 1 };
}

async function checkAgain(options: CheckCallOptions): Promise<CallResult["check-again"]> {
  if (checkedHeader === null) throw refusedCall("no header has been read");
  return check(checkedHeader, options);
}

function check(
  header: ModelHeader,
  { on, memory_bytes, formats, load_anyway }: CheckCallOptions,
): CallResult["check-again"] {
  const binding_bytes = on === "gpu" && probe ? probe.binding_bytes : null;
  return { check: header.check({ binding_bytes, memory_bytes, formats, load_anyway }), formats };
}

async function loadModel(
  call: Extract<Call, { kind: "load-model" }>,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<LoadedModel> {
  const { on, source, needed_bytes, formats, order, load_anyway } = call;
  report({ kind: "stage", stage: "engine" });
  loader ??= on === "gpu" ? gpuLoader(engine ?? (await startEngine())) : await startTwin();
  const running = loader;

  report({ kind: "stage", stage: "download" });
  const wasm = await engineModule();
  transfers ??= new ModelTransfers({
    ask,
    siteOrigin: self.location.origin,
    newHeader: () => new wasm.ModelHeader(),
    store,
  });
  const transfer = await untilLost(
    transfers.run(source, needed_bytes, running, signal, {
      onBytes: (bytes_received, bytes_total) => report({ kind: "download", bytes_received, bytes_total }),
      onRestart: (why) => report({ kind: "restarted", why }),
      onStorage: (news) => report({ kind: "storage", news }),
      onSilence: (nth_try) => report({ kind: "silent", nth_try }),
    }),
  );

  report({ kind: "stage", stage: "verify" });
  const { expected_sha256 } = transfer;
  const finished = untilLost(running.finish({ expected_sha256, formats, order, load_anyway }));
  try {
    const loaded = await finished;
    await transfer.approve(loaded.model);
    return loaded;
  } catch (reason) {
    await transfer.reject(engineErrorFrom(reason));
    throw reason;
  }
}

/** The file goes to the GPU as it arrives. */
function gpuLoader(running: Engine): ModelLoader {
  return {
    begin: (totalBytes, parts) => running.begin_model(totalBytes ?? 0, parts),
    push: async (bytes) => {
      await running.push_model(bytes);
    },
    finish: async (options) => {
      const model = await running.finish_model(options);
      const device = running.device();
      return { processor: { kind: "gpu", device: probe ? completedReport(device, probe) : device }, model };
    },
  };
}

async function startTwin(): Promise<ModelLoader> {
  const wasm = await engineModule();
  return new TwinLoader((file, parts, options) => {
    const started = wasm.TwinEngine.create(
      file,
      parts,
      options,
      (request) => renderTemplate(request),
      messagesAreHeard,
    );
    // The twin before it stays until the new one has taken its file.
    twin?.free();
    twin = started;
    return twin.model();
  });
}

/** Fetches and compiles the engine once; no device is asked for yet. */
async function engineModule(): Promise<typeof import("lastbit-engine")> {
  const wasm = await import("lastbit-engine");
  await wasm.default();
  return wasm;
}

async function startEngine(): Promise<Engine> {
  if (!probe) await probeGpu(simulation);
  wrapRequestDeviceOnce();
  const wasm = await engineModule();
  engine = await wasm.Engine.create({ subgroups: probe?.subgroups ?? false }, (request) =>
    renderTemplate(request),
  );
  watchDevice();
  return engine;
}

let requestDeviceIsWrapped = false;
function wrapRequestDeviceOnce(): void {
  if (requestDeviceIsWrapped) return;
  requestDeviceIsWrapped = true;
  wrapRequestDevice(GPUAdapter.prototype, simulation.subgroups === "auto", granted);
}

function watchDevice(): void {
  const device = granted.current;
  if (!device) return;
  lost = device.lost.then((info) => {
    const error = deviceLost(info);
    lossSoFar = error;
    engine = null;
    loader = null;
    transfers?.forget();
    if (!callInProgress) post({ kind: "device-lost", error });
    return error;
  });
}

async function configure(options: ConfigureOptions): Promise<ModelReport> {
  const running = engine ?? twin;
  if (!running) throw refusedCall("no model is loaded");
  return untilLost(running.configure(options));
}

async function compare(
  request: CompareRequest,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CallResult["compare"]> {
  const running = engine ?? twin;
  if (!running) throw refusedCall("no model is loaded");
  const { CancelToken } = await import("lastbit-engine");
  const cancel: CancelToken = new CancelToken();
  signal.addEventListener("abort", () => cancel.cancel());
  let tokens = 0;
  const comparison = await untilLost(
    running.compare(request, cancel, (event) => {
      report({ kind: "compare", event });
      if (event.kind === "token" && ++tokens === SIMULATED_FAILURE_AT_TOKEN) failIfSimulated();
    }),
  );
  // The page has the partial runs from the events; one way for every failure.
  if (comparison.verdict === "error") throw whyBrokenOff(comparison.error, lossSoFar);
  return comparison;
}

async function dissect(
  request: CompareRequest,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CallResult["dissect"]> {
  const { running, cancel } = await inquiry(signal);
  const found = await untilLost(
    running.dissect(request, cancel, (event) => report({ kind: "dissect", event })),
  );
  if (found.error && found.steps.length === 0) throw whyBrokenOff(found.error, lossSoFar);
  return found;
}

async function ablate(
  request: CompareRequest,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CallResult["ablate"]> {
  const { running, cancel } = await inquiry(signal);
  return untilLost(running.ablate(request, cancel, (event) => report({ kind: "ablate", event })));
}

async function lesson({ on, request }: Extract<Call, { kind: "lesson" }>): Promise<LessonAnswer> {
  if (on === "gpu") return untilLost((engine ?? (await startEngine())).lesson(request));
  const { lessonOnTwin } = await engineModule();
  return lessonOnTwin(request);
}

async function dotProduct(text: string): Promise<DotProduct> {
  const running = engine ?? twin;
  if (!running) throw refusedCall("no model is loaded");
  return untilLost(running.dot_product({ text }));
}

/** The engine and a stop sign, for what only a GPU can be asked. */
async function inquiry(signal: AbortSignal): Promise<{ running: Engine; cancel: CancelToken }> {
  if (!engine) throw refusedCall("taking a comparison apart needs a GPU");
  const running = engine;
  const { CancelToken } = await import("lastbit-engine");
  const cancel: CancelToken = new CancelToken();
  signal.addEventListener("abort", () => cancel.cancel());
  return { running, cancel };
}

function failIfSimulated(): void {
  if (simulation.gpu === "lost" || simulation.gpu === "lost-twice") granted.current?.destroy();
  // As wasm that traps while it is awaited: an error that nobody catches, and a call that never settles.
  if (simulation.engine === "crash") {
    setTimeout(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    });
  }
}

/** The engine's result; should the device vanish and the engine not say so, the loss itself. */
function untilLost<T>(work: T | Promise<T>): Promise<T> {
  const loss = lost.then(async (error) => {
    await new Promise((resolve) => setTimeout(resolve, LOSS_GRACE_MS));
    throw error;
  });
  return Promise.race([work, loss]);
}

function post(response: Response): void {
  self.postMessage(response);
}
