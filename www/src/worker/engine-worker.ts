// The worker: owns the wasm engine and the GPU, or the engine's twin on the CPU, and answers one call at a time.

import type { CancelToken, Engine, TwinEngine } from "lastbit-engine";
import type {
  AdapterProbe,
  Call,
  CallResult,
  CompareRequest,
  EngineError,
  Formats,
  LoadedModel,
  ModelReport,
  Order,
  Progress,
  Request,
  Response,
  Simulation,
} from "../shared/protocol";
import { engineErrorFrom, refusedCall, whyBrokenOff } from "./errors";
import { completedReport, deviceLost, type GrantedDevices, probeAdapter, wrapRequestDevice } from "./gpu";
import { ModelDownload } from "./model-download";
import { renderTemplate } from "./template-renderer";
import { type ModelLoader, messagesAreHeard, TwinLoader } from "./twin-loader";

declare const self: DedicatedWorkerGlobalScope;

/** With ?gpu=lost the device is destroyed at this token event of a comparison. */
const SIMULATED_LOSS_AT_TOKEN = 8;
/** How long the engine may take to report a lost device itself. */
const LOSS_GRACE_MS = 2000;

const granted: GrantedDevices = { current: null };
let simulation: Simulation = { gpu: "real", subgroups: "auto" };
let probe: AdapterProbe | null = null;
let engine: Engine | null = null;
/** Takes the engine's place where there is no GPU and a person chose so. */
let twin: TwinEngine | null = null;
let loader: ModelLoader | null = null;
let download: { url: string; download: ModelDownload } | null = null;
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
    case "load-model":
      simulation = call.simulation;
      return loadModel(call, signal, report);
    case "configure":
      return configure(call.formats, call.order);
    case "compare":
      return compare(call.request, signal, report);
  }
}

async function probeGpu(requested: Simulation): Promise<AdapterProbe> {
  simulation = requested;
  probe = await probeAdapter(self.navigator.gpu, self.isSecureContext, simulation);
  return probe;
}

async function loadModel(
  { on, source, formats, order }: Extract<Call, { kind: "load-model" }>,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<LoadedModel> {
  report({ kind: "stage", stage: "engine" });
  loader ??= on === "gpu" ? gpuLoader(await startEngine()) : await startTwin();
  const running = loader;

  report({ kind: "stage", stage: "download" });
  if (download?.url !== source.url) {
    download = { url: source.url, download: new ModelDownload(source, running) };
  }
  await untilLost(
    download.download.run(fetch, signal, (bytes_received) =>
      report({ kind: "download", bytes_received, bytes_total: source.len_bytes }),
    ),
  );
  // From here on a failure needs the whole file again.
  download = null;

  report({ kind: "stage", stage: "verify" });
  return untilLost(running.finish(source.sha256, formats, order));
}

/** The file goes to the GPU as it arrives. */
function gpuLoader(running: Engine): ModelLoader {
  return {
    begin: (totalBytes) => running.begin_model(totalBytes),
    push: async (bytes) => {
      await running.push_model(bytes);
    },
    finish: async (sha256, formats, order) => {
      const model = await running.finish_model(sha256, formats, order);
      const device = running.device();
      return { processor: { kind: "gpu", device: probe ? completedReport(device, probe) : device }, model };
    },
  };
}

async function startTwin(): Promise<ModelLoader> {
  const wasm = await import("lastbit-engine");
  await wasm.default();
  return new TwinLoader((file, sha256, formats, order) => {
    twin?.free();
    twin = wasm.TwinEngine.create(
      file,
      sha256,
      formats,
      order,
      (request) => renderTemplate(request),
      messagesAreHeard,
    );
    return twin.model();
  });
}

async function startEngine(): Promise<Engine> {
  if (!probe) await probeGpu(simulation);
  wrapRequestDeviceOnce();
  const wasm = await import("lastbit-engine");
  await wasm.default();
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
    download = null;
    if (!callInProgress) post({ kind: "device-lost", error });
    return error;
  });
}

async function configure(formats: Formats, order: Order): Promise<ModelReport> {
  const running = engine ?? twin;
  if (!running) throw refusedCall("no model is loaded");
  return untilLost(running.configure(formats, order));
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
      if (event.kind === "token") loseDeviceIfSimulated(++tokens);
    }),
  );
  // The page has the partial runs from the events; one way for every failure.
  if (comparison.verdict === "error") throw whyBrokenOff(comparison.error, lossSoFar);
  return comparison;
}

function loseDeviceIfSimulated(tokens: number): void {
  if (simulation.gpu === "lost" && tokens === SIMULATED_LOSS_AT_TOKEN) granted.current?.destroy();
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
