// What the CPU twin needs of its worker: the model file held whole, and pauses in which messages are heard.
import type { ModelHeader } from "lastbit-engine";
import type { EngineError, LoadOptions, ModelReport } from "../shared/engine-records";
import type { LoadedModel } from "../shared/protocol";
import type { ModelSink } from "./model-download";

/** Takes a file in, or several behind one another under the header of all, then makes a model of them. */
export interface ModelLoader extends ModelSink {
  begin(totalBytes: number | null, parts?: ModelHeader): void;
  /** Rejects with what `stop` gives, where that comes in time: the twin is made in one go. */
  finish(options: LoadOptions, stop: Promise<EngineError>): Promise<LoadedModel>;
}

/** Starts the twin of a file and reports its model. */
export type StartTwin = (
  file: Uint8Array,
  parts: ModelHeader | undefined,
  options: LoadOptions,
) => ModelReport;

/** The first room for a file of unknown length; it doubles. */
const FIRST_ROOM_BYTES = 1 << 20;

export class TwinLoader implements ModelLoader {
  #file = new Uint8Array(0);
  #length = 0;
  #parts: ModelHeader | undefined;
  readonly #start: StartTwin;

  constructor(start: StartTwin) {
    this.#start = start;
  }

  begin(totalBytes: number | null, parts?: ModelHeader): void {
    this.#file = roomFor(totalBytes ?? FIRST_ROOM_BYTES);
    this.#length = 0;
    this.#parts = parts;
  }

  async push(bytes: Uint8Array): Promise<void> {
    const length = this.#length + bytes.length;
    if (length > this.#file.length) {
      const roomier = roomFor(Math.max(length, 2 * this.#file.length));
      roomier.set(this.#file);
      this.#file = roomier;
    }
    this.#file.set(bytes, this.#length);
    this.#length = length;
  }

  async finish(options: LoadOptions, stop: Promise<EngineError>): Promise<LoadedModel> {
    const reason = await Promise.race([stop, messagesAreHeard()]);
    if (reason) throw reason;
    const file = this.#file.subarray(0, this.#length);
    // The twin has a copy of its own; a failure needs the whole file again.
    this.#file = new Uint8Array(0);
    const model = this.#start(file, this.#parts, options);
    return { processor: { kind: "cpu-twin" }, model };
  }
}

function roomFor(length: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch {
    const error: EngineError = {
      code: "out-of-memory",
      message: `This browser gives no room for a file of ${length} bytes, which the CPU twin holds whole.`,
      what_to_do: "Choose a smaller model, or open this page in a browser with WebGPU.",
    };
    throw error;
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
