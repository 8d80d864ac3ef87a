// Owns the worker: one call at a time, progress, cancel, and a fresh worker after a lost device.
import type { EngineError } from "../shared/engine-records";
import type { Call, CallResult, Progress, Request, Response } from "../shared/protocol";
import { trustedWorkerUrl } from "../shared/trusted-worker-url";
import workerUrl from "../worker/engine-worker.ts?worker&url";

interface Pending {
  id: number;
  resolve: (result: CallResult[Call["kind"]]) => void;
  reject: (error: EngineError) => void;
  onProgress: (progress: Progress) => void;
}

export class EngineClient {
  #worker: Worker | null = null;
  #pending: Pending | null = null;
  #nextId = 1;
  readonly #onDeviceLost: (error: EngineError) => void;

  /** `onDeviceLost` hears of a loss between calls; during a call the call itself fails. */
  constructor(onDeviceLost: (error: EngineError) => void) {
    this.#onDeviceLost = onDeviceLost;
  }

  /** Sends one call. Rejects with an EngineError. */
  call<K extends Call["kind"]>(
    call: Extract<Call, { kind: K }>,
    onProgress: (progress: Progress) => void = () => {},
  ): Promise<CallResult[K]> {
    if (this.#pending) return Promise.reject(clientError("another call is still running"));
    this.#worker ??= this.#startWorker();
    const id = this.#nextId++;
    const result = new Promise<CallResult[Call["kind"]]>((resolve, reject) => {
      this.#pending = { id, resolve, reject, onProgress };
    });
    this.#post({ kind: "call", id, call });
    // The worker answers a call with the result of its kind; the ids tie the two together.
    return result as Promise<CallResult[K]>;
  }

  /** Asks the call in progress to end soon; it then settles by itself. */
  cancel(): void {
    this.#post({ kind: "cancel" });
  }

  /** Ends the worker with everything on its GPU; the next call starts a fresh one. */
  restart(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#fail(clientError("the engine was started again"));
  }

  #startWorker(): Worker {
    const worker = new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
    worker.onmessage = (message: MessageEvent<Response>) => this.#receive(message.data);
    worker.onerror = (event) => {
      this.#fail(engineCrashed(event.message || "its worker could not be loaded"));
    };
    return worker;
  }

  #receive(response: Response): void {
    if (response.kind === "device-lost") {
      this.#onDeviceLost(response.error);
      return;
    }
    const pending = this.#pending;
    if (!pending || pending.id !== response.id) return;
    switch (response.kind) {
      case "progress":
        pending.onProgress(response.progress);
        return;
      case "done":
        this.#pending = null;
        pending.resolve(response.result);
        return;
      case "failed":
        this.#pending = null;
        pending.reject(response.error);
        return;
    }
  }

  #fail(error: EngineError): void {
    const pending = this.#pending;
    this.#pending = null;
    pending?.reject(error);
  }

  #post(request: Request): void {
    this.#worker?.postMessage(request);
  }
}

/** Wasm that traps leaves an error that nobody caught, and an instance that cannot be trusted. */
function engineCrashed(why: string): EngineError {
  return {
    code: "engine-crashed",
    message: `The engine broke down: ${why}.`,
    what_to_do: "Load the model again. If it happens again, please report it with this message.",
  };
}

function clientError(why: string): EngineError {
  return { code: "worker-failed", message: `The engine stopped: ${why}.`, what_to_do: "Reload the page." };
}
