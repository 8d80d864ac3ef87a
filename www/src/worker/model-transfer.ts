// From a source to the engine: from an address, from this browser's storage, or from a person's own files. What is
// under way is kept, so that a cut or cancelled transfer can go on.
import type { FileHash, ModelHeader } from "lastbit-engine";
import type { EngineError } from "../shared/engine-records";
import type { FileVersion, PartPlace } from "../shared/model-records";
import { fileNameIn } from "../shared/model-url";
import type { ModelSource } from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import { engineErrorFrom } from "./errors";
import { readFileHeaders } from "./header-reading";
import { KeptDownload } from "./kept-download";
import type { ModelSink, TransferReport } from "./model-download";
import { ModelFiles } from "./model-files";
import type { KeptFile } from "./model-store";
import { addressesOfAll, type HeaderPlaces, type PartNames, readUrlHeaders } from "./part-headers";
import { type Part, PartSink, SplitTransfer } from "./split-transfer";
import type { Transfer } from "./transfer";
import type { ModelLoader } from "./twin-loader";

/** What the transfers of one page share. */
export interface Surroundings extends HeaderPlaces {
  newHeader: () => ModelHeader;
  newHash: () => FileHash;
  partNames: PartNames;
}

type Remote = Exclude<ModelSource, { kind: "files" }>;

/** What is known of a file before it is asked for. */
interface Known {
  needed_bytes: number | null;
  header_version?: FileVersion;
  part?: PartPlace;
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
  ): Promise<Transfer> {
    const urls = source.kind === "url" ? addressesOfAll(source.url, this.#surroundings.partNames) : [];
    const key = urls[0] ?? keyOf(source);
    if (this.#underWay?.key !== key) {
      const transfer =
        urls.length > 1
          ? new SplitTransfer(loader, (signal) => this.#beginParts(urls, loader, signal))
          : await this.#begin(source, needed_bytes, loader);
      this.#underWay = { key, transfer };
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
    return this.#beginFile(source, { needed_bytes }, loader);
  }

  async #beginFile(source: Remote, known: Known, sink: ModelSink): Promise<Transfer> {
    const kept = await this.#surroundings.store.find(source.url);
    const download = () => this.#download(source, known, sink);
    // A later version of this page may come with another model under the same address.
    const isWanted = source.kind !== "built-in" || kept?.record.sha256 === source.sha256;
    return kept !== null && isWanted ? this.#fromStorage(kept, sink, download) : download();
  }

  async #beginParts(
    urls: readonly string[],
    loader: ModelLoader,
    signal: AbortSignal,
  ): Promise<{ header: ModelHeader; parts: Part[] }> {
    const header = this.#surroundings.newHeader();
    const found = await readUrlHeaders(urls, header, this.#surroundings, signal);
    const lens_bytes = header.lens_bytes();
    const begun = urls.map(async (url, index): Promise<Part> => {
      const len_bytes = lens_bytes[index] ?? 0;
      const sink = new PartSink(loader, this.#surroundings.newHash(), len_bytes);
      const part = { of: urls[0] ?? url, number: index + 1, count: urls.length };
      const { version: header_version, is_kept = false } = found[index] ?? {};
      const known = { needed_bytes: len_bytes, part, ...(header_version && { header_version }) };
      return {
        url,
        len_bytes,
        is_kept,
        sink,
        transfer: await this.#beginFile({ kind: "url", url }, known, sink),
      };
    });
    return { header, parts: await Promise.all(begun) };
  }

  #download(source: Remote, { part, ...known }: Known, sink: ModelSink): Transfer {
    const { ask, siteOrigin, store } = this.#surroundings;
    const { url } = source;
    const isBuiltIn = source.kind === "built-in";
    const len_bytes = isBuiltIn ? source.len_bytes : null;
    const name = isBuiltIn ? source.title : fileNameIn(url) || url;
    const remote = { url, site_origin: siteOrigin, len_bytes, ...known };
    const download = new KeptDownload(remote, { name, part: part ?? null }, store, sink);
    return {
      run: (signal, report) => download.run(ask, signal, report),
      expected_sha256: isBuiltIn ? source.sha256 : null,
      approve: (model) => download.approve(model.sha256, isBuiltIn ? name : model.name.trim() || name),
      reject: (error) => this.#discardIfBad(url, error),
    };
  }

  /** The kept copy, or the download where it goes away while it is read. */
  #fromStorage({ record, file }: KeptFile, sink: ModelSink, download: () => Transfer): Transfer {
    const { store } = this.#surroundings;
    const { url } = record;
    const copy = new ModelFiles([file], sink);
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
