// What the CPU twin needs of its worker: the model file held whole, and pauses in which messages are heard.
import type { Formats, LoadedModel, ModelReport, Order } from "../shared/protocol";
import type { ModelSink } from "./model-download";

/** Takes a file in, then makes a model of it. */
export interface ModelLoader extends ModelSink {
  finish(sha256: string, formats: Formats, order: Order): Promise<LoadedModel>;
}

/** Starts the twin of a file and reports its model. */
export type StartTwin = (file: Uint8Array, sha256: string, formats: Formats, order: Order) => ModelReport;

export class TwinLoader implements ModelLoader {
  #file = new Uint8Array(0);
  #length = 0;
  readonly #start: StartTwin;

  constructor(start: StartTwin) {
    this.#start = start;
  }

  begin(totalBytes: number): void {
    this.#file = new Uint8Array(totalBytes);
    this.#length = 0;
  }

  async push(bytes: Uint8Array): Promise<void> {
    this.#file.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  async finish(sha256: string, formats: Formats, order: Order): Promise<LoadedModel> {
    const file = this.#file.subarray(0, this.#length);
    // The twin has a copy of its own; a failure needs the whole file again.
    this.#file = new Uint8Array(0);
    return { processor: { kind: "cpu-twin" }, model: this.#start(file, sha256, formats, order) };
  }
}

/** How long messages may wait. Each wait for them costs the four milliseconds of a nested timer. */
const DEAF_MS = 100;
let lastHeardAt = Number.NEGATIVE_INFINITY;

/** The twin computes on the worker's only thread: between its layers a Stop must get through. */
export async function messagesAreHeard(): Promise<void> {
  if (performance.now() - lastHeardAt < DEAF_MS) return;
  await new Promise((resolve) => setTimeout(resolve));
  lastHeardAt = performance.now();
}
