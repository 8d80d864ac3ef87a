// Loads a model: on the GPU as its file arrives, on the CPU twin once it is whole; its record is kept only when the engine took it.
import type { Engine } from "lastbit-engine";
import type { EngineError } from "../shared/engine-records";
import type { Call, LoadedModel, Progress } from "../shared/protocol";
import type { Ask } from "./ask";
import type { Engines } from "./engines";
import { engineErrorFrom } from "./errors";
import { completedReport } from "./gpu";
import type { ModelStore } from "./model-store";
import { ModelTransfers } from "./model-transfer";
import { cancelledPreparation } from "./transfer-errors";
import { type ModelLoader, TwinLoader } from "./twin-loader";

declare const self: DedicatedWorkerGlobalScope;

export class ModelLoads {
  readonly #engines: Engines;
  readonly #store: ModelStore;
  readonly #ask: Ask;
  #loader: ModelLoader | null = null;
  #transfers: ModelTransfers | null = null;

  constructor(engines: Engines, store: ModelStore, ask: Ask) {
    this.#engines = engines;
    this.#store = store;
    this.#ask = ask;
  }

  async load(
    call: Extract<Call, { kind: "load-model" }>,
    signal: AbortSignal,
    report: (progress: Progress) => void,
  ): Promise<LoadedModel> {
    const { on, source, needed_bytes, formats, order, load_anyway } = call;
    report({ kind: "stage", stage: "engine" });
    this.#loader ??=
      on === "gpu"
        ? this.#gpuLoader(await this.#engines.onGpu())
        : new TwinLoader(await this.#engines.twinStarter());
    const running = this.#loader;

    report({ kind: "stage", stage: "download" });
    const transfers = await this.#transfersOnce();
    const transfer = await this.#engines.untilLost(
      transfers.run(source, needed_bytes, running, signal, {
        onPart: (number, count) => report({ kind: "part", number, count }),
        onBytes: (bytes_received, bytes_total) => report({ kind: "download", bytes_received, bytes_total }),
        onRestart: (why) => report({ kind: "restarted", why }),
        onStorage: (news) => report({ kind: "storage", news }),
        onSilence: (nth_try) => report({ kind: "silent", nth_try }),
      }),
    );

    report({ kind: "stage", stage: "verify" });
    const { expected_sha256 } = transfer;
    try {
      const options = { expected_sha256, formats, order, load_anyway };
      const finished = running.finish(options, stopReason(signal));
      const loaded = await this.#engines.untilLost(finished);
      await transfer.approve(loaded.model);
      return loaded;
    } catch (reason) {
      await transfer.reject(engineErrorFrom(reason));
      throw reason;
    }
  }

  /** Its device is lost: what had come goes with it. */
  forget(): void {
    this.#loader = null;
    this.#transfers?.forget();
  }

  async #transfersOnce(): Promise<ModelTransfers> {
    this.#transfers ??= await newTransfers(this.#engines, this.#store, this.#ask);
    return this.#transfers;
  }

  #gpuLoader(running: Engine): ModelLoader {
    return {
      begin: (totalBytes, parts) => running.begin_model(totalBytes ?? 0, parts),
      push: async (bytes) => {
        await running.push_model(bytes);
      },
      finish: async (options, stop) => {
        const model = await running.finish_model(options, stop);
        const device = running.device();
        const { probe } = this.#engines;
        const completed = probe ? completedReport(device, probe) : device;
        return { processor: { kind: "gpu", device: completed }, model };
      },
    };
  }
}

/** Transfers that know of none under way. */
export async function newTransfers(engines: Engines, store: ModelStore, ask: Ask): Promise<ModelTransfers> {
  const wasm = await engines.module();
  return new ModelTransfers({
    ask,
    siteOrigin: self.location.origin,
    newHeader: () => new wasm.ModelHeader(),
    newHash: () => new wasm.FileHash(),
    partNames: wasm.partNames,
    store,
  });
}

/** Why the call ends before its end, once a person has stopped it. */
export function stopReason(signal: AbortSignal): Promise<EngineError> {
  return new Promise((resolve) => {
    const stop = () => resolve(cancelledPreparation());
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
