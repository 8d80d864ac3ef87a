// The engines: the wasm module, fetched once; the engine on the GPU, watched until its device is lost; and its twin on the CPU.
import type { CancelToken, Engine, TwinEngine } from "lastbit-engine";
import type { EngineError } from "../shared/engine-records";
import type { AdapterProbe, Simulation } from "../shared/protocol";
import { refusedCall } from "./errors";
import { deviceLost, type GrantedDevices, probeAdapter, wrapRequestDevice } from "./gpu";
import { renderTemplate } from "./template-renderer";
import { messagesAreHeard, type StartTwin } from "./twin-loader";

declare const self: DedicatedWorkerGlobalScope;

/** How long the engine may take to report a lost device itself. */
const LOSS_GRACE_MS = 2000;

export class Engines {
  /** What a test has asked for; the same until the next probe or load. */
  simulation: Simulation = { gpu: "real", engine: "real", subgroups: "auto" };
  probe: AdapterProbe | null = null;
  lossSoFar: EngineError | null = null;
  #onGpu: Engine | null = null;
  /** Takes the engine's place where there is no GPU and a person chose so. */
  #twin: TwinEngine | null = null;
  #lost: Promise<EngineError> = new Promise(() => {});
  #requestDeviceIsWrapped = false;
  readonly #granted: GrantedDevices = { current: null };
  readonly #onLost: (error: EngineError) => void;

  constructor(onLost: (error: EngineError) => void) {
    this.#onLost = onLost;
  }

  async probeGpu(simulation: Simulation): Promise<AdapterProbe> {
    this.simulation = simulation;
    this.probe = await probeAdapter(self.navigator.gpu, self.isSecureContext, simulation);
    return this.probe;
  }

  /** Fetches and compiles the engine once; no device is asked for yet. */
  async module(): Promise<typeof import("lastbit-engine")> {
    const wasm = await import("lastbit-engine");
    await wasm.default();
    return wasm;
  }

  /** The engine on the GPU, started where it is not there yet. */
  async onGpu(): Promise<Engine> {
    if (this.#onGpu) return this.#onGpu;
    if (!this.probe) await this.probeGpu(this.simulation);
    this.#wrapRequestDeviceOnce();
    const wasm = await this.module();
    this.#onGpu = await wasm.Engine.create({ subgroups: this.probe?.subgroups ?? false }, (request) =>
      renderTemplate(request),
    );
    this.#watchDevice();
    return this.#onGpu;
  }

  /** Makes a twin that is the caller's own. */
  async twinMaker(): Promise<(...of: Parameters<StartTwin>) => TwinEngine> {
    const wasm = await this.module();
    return (file, parts, options) =>
      wasm.TwinEngine.create(file, parts, options, (request) => renderTemplate(request), messagesAreHeard);
  }

  /** What makes the twin of a file, which then runs. */
  async twinStarter(): Promise<StartTwin> {
    const twinOf = await this.twinMaker();
    return (file, parts, options) => {
      const started = twinOf(file, parts, options);
      // The twin before it stays until the new one has taken its file.
      this.#twin?.free();
      this.#twin = started;
      return started.model();
    };
  }

  /** Whichever has a model. */
  running(): Engine | TwinEngine {
    const running = this.#onGpu ?? this.#twin;
    if (!running) throw refusedCall("no model is loaded");
    return running;
  }

  /** For what only a GPU can be asked. */
  runningOnGpu(): Engine {
    if (!this.#onGpu) throw refusedCall("taking a comparison apart needs a GPU");
    return this.#onGpu;
  }

  /** A stop sign that the engine sees. */
  async stopSign(signal: AbortSignal): Promise<CancelToken> {
    const { CancelToken } = await this.module();
    const cancel = new CancelToken();
    signal.addEventListener("abort", () => cancel.cancel());
    return cancel;
  }

  /** The engine's result; should the device vanish and the engine not say so, the loss itself. */
  untilLost<T>(work: T | Promise<T>): Promise<T> {
    const loss = this.#lost.then(async (error) => {
      await new Promise((resolve) => setTimeout(resolve, LOSS_GRACE_MS));
      throw error;
    });
    return Promise.race([work, loss]);
  }

  failIfSimulated(): void {
    const { gpu, engine } = this.simulation;
    if (gpu === "lost" || gpu === "lost-twice") this.#granted.current?.destroy();
    // As wasm that traps while it is awaited: an error that nobody catches, and a call that never settles.
    if (engine === "crash") {
      setTimeout(() => {
        throw new WebAssembly.RuntimeError("unreachable");
      });
    }
  }

  #wrapRequestDeviceOnce(): void {
    if (this.#requestDeviceIsWrapped) return;
    this.#requestDeviceIsWrapped = true;
    wrapRequestDevice(GPUAdapter.prototype, this.simulation.subgroups === "auto", this.#granted);
  }

  #watchDevice(): void {
    const device = this.#granted.current;
    if (!device) return;
    this.#lost = device.lost.then((info) => {
      const error = deviceLost(info);
      this.lossSoFar = error;
      this.#onGpu = null;
      this.#onLost(error);
      return error;
    });
  }
}
