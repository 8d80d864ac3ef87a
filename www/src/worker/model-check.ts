// Whether a model fits, by its header alone: from files, from this browser's storage, or a few pieces of an address.
import type { ModelHeader } from "lastbit-engine";
import type { CallResult, CheckCallOptions, CheckedSource, ModelSource } from "../shared/protocol";
import type { Ask } from "./ask";
import type { Engines } from "./engines";
import { refusedCall } from "./errors";
import { readFileHeaders } from "./header-reading";
import type { ModelStore } from "./model-store";
import { addressesOfAll, readUrlHeaders } from "./part-headers";

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
    const urls = addressesOfAll(source.url, (await this.#engines.module()).partNames);
    const places = { ask: this.#ask, siteOrigin: self.location.origin, store: this.#store };
    const found = await readUrlHeaders(urls, header, places, signal);
    const lens = found.flatMap(({ version }) => version.total ?? []);
    return {
      len_bytes: lens.length === urls.length ? lens.reduce((sum, len) => sum + len, 0) : null,
      redirected_to: found.find(({ redirected_to }) => redirected_to !== null)?.redirected_to ?? null,
      n_files: urls.length,
    };
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
