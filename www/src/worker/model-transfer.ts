// From a source to the engine: from an address, from this browser's storage, or from a person's own files. What is
// under way is kept, so that a cut or cancelled transfer can go on.
import type { ModelHeader } from "lastbit-engine";
import type { EngineError, ModelReport } from "../shared/engine-records";
import type { ModelSource } from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import type { Ask } from "./ask";
import { engineErrorFrom } from "./errors";
import { readFileHeaders } from "./header-reading";
import { KeptDownload } from "./kept-download";
import type { TransferReport } from "./model-download";
import { ModelFiles } from "./model-files";
import type { KeptFile, ModelStore } from "./model-store";
import type { ModelLoader } from "./twin-loader";

export interface Transfer {
  run(signal: AbortSignal, report: TransferReport): Promise<void>;
  /** What the bytes must hash to; null where nobody knows. */
  expected_sha256: string | null;
  /** The engine's judgement of all bytes. */
  approve(model: ModelReport): Promise<void>;
  reject(error: EngineError): Promise<void>;
}

/** What the transfers of one page share. */
export interface Surroundings {
  ask: Ask;
  siteOrigin: string;
  newHeader: () => ModelHeader;
  store: ModelStore;
}

type Remote = Exclude<ModelSource, { kind: "files" }>;

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
  ): Promise<Transfer> {
    const key = keyOf(source);
    if (this.#underWay?.key !== key) {
      this.#underWay = { key, transfer: await this.#begin(source, needed_bytes, loader) };
    }
    const { transfer } = this.#underWay;
    try {
      await transfer.run(signal, report);
    } catch (reason) {
      const error = engineErrorFrom(reason);
      if (!isResumable(error)) this.#underWay = null;
      await transfer.reject(error);
      throw reason;
    }
    // From here on a failure needs the whole file again.
    this.#underWay = null;
    return transfer;
  }

  /** Forgets what is under way: the engine that took it is gone. */
  forget(): void {
    this.#underWay = null;
  }

  async #begin(source: ModelSource, needed_bytes: number | null, loader: ModelLoader): Promise<Transfer> {
    if (source.kind === "files") return notKept(await this.#beginFiles(source.files, loader));
    const kept = await this.#surroundings.store.find(source.url);
    const download = () => this.#download(source, needed_bytes, loader);
    // A later version of this page may come with another model under the same address.
    const isWanted = source.kind !== "built-in" || kept?.record.sha256 === source.sha256;
    return kept !== null && isWanted ? this.#fromStorage(kept, loader, download) : download();
  }

  #download(source: Remote, needed_bytes: number | null, loader: ModelLoader): Transfer {
    const { ask, siteOrigin, store } = this.#surroundings;
    const { url } = source;
    const isBuiltIn = source.kind === "built-in";
    const len_bytes = isBuiltIn ? source.len_bytes : null;
    const name = isBuiltIn ? source.title : nameIn(url);
    const download = new KeptDownload(
      { url, site_origin: siteOrigin, len_bytes, needed_bytes },
      name,
      store,
      loader,
    );
    return {
      run: (signal, report) => download.run(ask, signal, report),
      expected_sha256: isBuiltIn ? source.sha256 : null,
      approve: (model) => download.approve(model.sha256, isBuiltIn ? name : model.name.trim() || name),
      reject: (error) => this.#discardIfBad(url, error),
    };
  }

  /** The kept copy, or the download where it goes away while it is read. */
  #fromStorage({ record, file }: KeptFile, loader: ModelLoader, download: () => Transfer): Transfer {
    const { store } = this.#surroundings;
    const { url } = record;
    const copy = new ModelFiles([file], loader);
    let instead: Transfer | null = null;
    const run: Transfer["run"] = async (signal, report) => {
      if (instead !== null) return instead.run(signal, report);
      report.onStorage({ kind: "from-storage" });
      try {
        await store.whileShared(url, () => copy.run(signal, report));
      } catch (reason) {
        if (engineErrorFrom(reason).code !== "file-changed") throw reason;
        report.onRestart("copy-gone");
        await store.discard(url);
        instead = download();
        await instead.run(signal, report);
      }
    };
    return {
      run,
      get expected_sha256() {
        return instead === null ? record.sha256 : instead.expected_sha256;
      },
      approve: async (model) => instead?.approve(model),
      reject: (error) => this.#discardIfBad(url, error),
    };
  }

  /** Bytes that are not the model are not kept; after any other failure they are as good as before. */
  async #discardIfBad(url: string, { code }: EngineError): Promise<void> {
    if (code === "bad-file" || code === "hash-mismatch") await this.#surroundings.store.discard(url);
  }

  async #beginFiles(files: readonly File[], loader: ModelLoader): Promise<ModelFiles> {
    if (files.length < 2) return new ModelFiles(files, loader);
    const header = this.#surroundings.newHeader();
    await readFileHeaders(files, header);
    const inOrder = [...header.order()].flatMap((index) => files[index] ?? []);
    const push = (bytes: Uint8Array) => loader.push(bytes);
    return new ModelFiles(inOrder, { begin: (total) => loader.begin(total, header), push });
  }
}

/** A person's own files stay where they are. */
function notKept(files: ModelFiles): Transfer {
  const run: Transfer["run"] = (signal, report) => files.run(signal, report);
  return { run, expected_sha256: null, approve: async () => {}, reject: async () => {} };
}

/** The same for the same source, also when it has crossed from the page once more. */
function keyOf(source: ModelSource): string {
  if (source.kind !== "files") return source.url;
  return JSON.stringify(source.files.map(({ name, size, lastModified }) => [name, size, lastModified]));
}

/** The last part of an address's path. */
function nameIn(url: string): string {
  return new URL(url).pathname.split("/").at(-1) || url;
}
