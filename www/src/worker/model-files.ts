// Streams a person's own file, or the parts of a model one behind the other, from the disk into the engine: slice by
// slice, never held whole.
import type { ModelSink, TransferReport } from "./model-download";
import { cancelledDownload, changedFile } from "./transfer-errors";

/** What is read of a file at once. */
const SLICE_BYTES = 4 << 20;

export class ModelFiles {
  readonly #files: readonly File[];
  readonly #sink: ModelSink;
  #isBegun = false;
  #file = 0;
  #position = 0;

  /** `files` are in the order of their bytes. */
  constructor(files: readonly File[], sink: ModelSink) {
    this.#files = files;
    this.#sink = sink;
  }

  /** Reads what is missing. Throws an EngineError; after a cancel, call again to go on. */
  async run(signal: AbortSignal, report: Pick<TransferReport, "onBytes" | "onPart">): Promise<void> {
    const total = this.#files.reduce((sum, { size }) => sum + size, 0);
    if (!this.#isBegun) this.#sink.begin(total);
    this.#isBegun = true;
    let received = this.#bytesBefore(this.#file) + this.#position;
    for (let told = -1; ; ) {
      if (signal.aborted) throw cancelledDownload();
      const piece = await this.#next();
      if (piece === null) return;
      if (this.#files.length > 1 && told !== this.#file) {
        told = this.#file;
        report.onPart(told + 1, this.#files.length);
      }
      await this.#sink.push(piece);
      this.#position += piece.length;
      received += piece.length;
      report.onBytes(received, total);
    }
  }

  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      const file = this.#files[this.#file];
      if (!file) return null;
      if (this.#position < file.size) {
        return sliceOf(file, this.#position, this.#position + SLICE_BYTES);
      }
      this.#file += 1;
      this.#position = 0;
    }
  }

  #bytesBefore(index: number): number {
    return this.#files.slice(0, index).reduce((sum, { size }) => sum + size, 0);
  }
}

/** Bytes of a file. A file that was changed since it was chosen can no longer be read. */
export async function sliceOf(file: File, start: number, end: number): Promise<Uint8Array> {
  const bytes = await file
    .slice(start, end)
    .arrayBuffer()
    .catch(() => {
      throw changedFile(file.name);
    });
  return new Uint8Array(bytes);
}
