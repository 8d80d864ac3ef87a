// Whether a model fits, by its header alone: from files, from this browser's storage, or a few pieces of an address.
import type { ModelHeader } from "lastbit-engine";
import type { CallResult, CheckCallOptions, CheckedSource, ModelSource } from "../shared/protocol";
import type { Ask } from "./ask";
import type { Engines } from "./engines";
import { refusedCall } from "./errors";
import { readFileHeader, readFileHeaders, UrlHeaderReading } from "./header-reading";
import type { ModelStore } from "./model-store";

declare const self: DedicatedWorkerGlobalScope;

export class ModelChecks {
  readonly #engines: Engines;
  readonly #store: ModelStore;
  readonly #ask: Ask;
  /** The header that was read last. */
  #header: ModelHeader | null = null;

  constructor(engines: Engines, store: ModelStore, ask: Ask) {
    this.#engines = engines;
    this.#store = store;
    this.#ask = ask;
  }

  async check(source: ModelSource, options: CheckCallOptions, signal: AbortSignal): Promise<CheckedSource> {
    const wasm = await this.#engines.module();
    const header = new wasm.ModelHeader();
    try {
      const told = await this.#read(source, header, signal);
      const checked = { ...told, ...this.#fit(header, options) };
      this.#header?.free();
      this.#header = header;
      return checked;
    } catch (reason) {
      header.free();
      throw reason;
    }
  }

  /** The header that was read last, for other formats. */
  async checkAgain(options: CheckCallOptions): Promise<CallResult["check-again"]> {
    if (this.#header === null) throw refusedCall("no header has been read");
    return this.#fit(this.#header, options);
  }

  async #read(
    source: ModelSource,
    header: ModelHeader,
    signal: AbortSignal,
  ): Promise<Pick<CheckedSource, "len_bytes" | "redirected_to" | "n_files">> {
    if (source.kind === "files") {
      await readFileHeaders(source.files, header);
      const len_bytes = source.files.reduce((sum, { size }) => sum + size, 0);
      return { len_bytes, redirected_to: null, n_files: source.files.length };
    }
    const kept = await this.#store.find(source.url);
    if (kept !== null) {
      await readFileHeader(kept.file, kept.record.name, header);
      return { len_bytes: kept.record.len_bytes, redirected_to: null, n_files: 1 };
    }
    const reading = new UrlHeaderReading(source.url, self.location.origin, this.#ask);
    return { ...(await reading.run(header, signal)), n_files: 1 };
  }

  #fit(
    header: ModelHeader,
    { on, memory_bytes, formats, load_anyway }: CheckCallOptions,
  ): CallResult["check-again"] {
    const { probe } = this.#engines;
    const binding_bytes = on === "gpu" && probe ? probe.binding_bytes : null;
    return { check: header.check({ binding_bytes, memory_bytes, formats, load_anyway }), formats };
  }
}
