// From a source to the engine. What is under way is kept, so that a cut or cancelled transfer can go on.
import type { ModelHeader } from "lastbit-engine";
import type { ModelSource } from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import type { Ask } from "./ask";
import { engineErrorFrom } from "./errors";
import { readFileHeaders } from "./header-reading";
import { ModelDownload, type TransferReport } from "./model-download";
import { ModelFiles } from "./model-files";
import type { ModelLoader } from "./twin-loader";

export interface Transfer {
  run(signal: AbortSignal, report: TransferReport): Promise<void>;
}

/** What the transfers of one page share. */
export interface Surroundings {
  ask: Ask;
  siteOrigin: string;
  newHeader: () => ModelHeader;
}

export class ModelTransfers {
  #underWay: { key: string; transfer: Transfer } | null = null;
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Takes all bytes of the source in, or what is missing of those that it is known to have taken. */
  async run(
    source: ModelSource,
    needed_bytes: number | null,
    loader: ModelLoader,
    signal: AbortSignal,
    report: TransferReport,
  ): Promise<void> {
    const key = keyOf(source);
    if (this.#underWay?.key !== key) {
      this.#underWay = { key, transfer: await this.#begin(source, needed_bytes, loader) };
    }
    try {
      await this.#underWay.transfer.run(signal, report);
    } catch (reason) {
      if (!isResumable(engineErrorFrom(reason))) this.#underWay = null;
      throw reason;
    }
    // From here on a failure needs the whole file again.
    this.#underWay = null;
  }

  /** Forgets what is under way: the engine that took it is gone. */
  forget(): void {
    this.#underWay = null;
  }

  async #begin(source: ModelSource, needed_bytes: number | null, loader: ModelLoader): Promise<Transfer> {
    const { ask, siteOrigin } = this.#surroundings;
    if (source.kind === "files") return this.#beginFiles(source.files, loader);
    const len_bytes = source.kind === "built-in" ? source.len_bytes : null;
    const remote = { url: source.url, site_origin: siteOrigin, len_bytes, needed_bytes };
    const download = new ModelDownload(remote, loader);
    return { run: (signal, report) => download.run(ask, signal, report) };
  }

  async #beginFiles(files: readonly File[], loader: ModelLoader): Promise<Transfer> {
    if (files.length < 2) return new ModelFiles(files, loader);
    const header = this.#surroundings.newHeader();
    await readFileHeaders(files, header);
    const inOrder = [...header.order()].flatMap((index) => files[index] ?? []);
    const push = (bytes: Uint8Array) => loader.push(bytes);
    return new ModelFiles(inOrder, { begin: (total) => loader.begin(total, header), push });
  }
}

/** The same for the same source, also when it has crossed from the page once more. */
function keyOf(source: ModelSource): string {
  if (source.kind !== "files") return source.url;
  return JSON.stringify(source.files.map(({ name, size, lastModified }) => [name, size, lastModified]));
}
