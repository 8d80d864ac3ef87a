// A download that is kept in this browser's storage as it goes to the engine, and that goes on from what an earlier
// visit left there. The storage is a convenience: where it fails, the load goes on without it and says so.
import type { Origin } from "../shared/model-records";
import type { NotKept } from "../shared/protocol";
import type { Ask } from "./ask";
import { engineErrorFrom } from "./errors";
import {
  type Beginning,
  canContinue,
  type DownloadSink,
  isOfHeader,
  ModelDownload,
  type ModelSink,
  type Remote,
  type TransferReport,
} from "./model-download";
import type { ModelStore } from "./model-store";
import { PartFile } from "./part-file";
import { cancelledDownload } from "./transfer-errors";

/** What the stored file is called, and which of a model's files it is. */
type FileLabel = Pick<Origin, "name" | "part">;

export class KeptDownload {
  readonly #remote: Remote;
  readonly #label: FileLabel;
  readonly #store: ModelStore;
  readonly #engine: ModelSink;
  #download: ModelDownload | null = null;
  /** Null where nothing is kept, or not any more. */
  #part: PartFile | null = null;
  #report: TransferReport | null = null;

  constructor(remote: Remote, label: FileLabel, store: ModelStore, engine: ModelSink) {
    this.#remote = remote;
    this.#label = label;
    this.#store = store;
    this.#engine = engine;
  }

  /** Fetches what is missing. Throws an EngineError; after one that is resumable, call again to go on. */
  async run(ask: Ask, signal: AbortSignal, report: TransferReport): Promise<void> {
    this.#report = report;
    try {
      if (this.#download === null) this.#download = await this.#begin(signal, report);
      else await this.#resume();
      await this.#download.run(ask, signal, report);
    } finally {
      await this.#part?.suspend();
    }
  }

  /** The engine has found the whole file right. */
  async approve(sha256: string, name: string): Promise<void> {
    await this.#resume();
    try {
      await this.#part?.complete(sha256, name);
      if (this.#part !== null) this.#report?.onStorage({ kind: "kept" });
    } catch {
      await this.#giveUp("full");
    }
  }

  async #begin(signal: AbortSignal, report: TransferReport): Promise<ModelDownload> {
    const opened = await this.#store.open({ ...this.#label, url: this.#remote.url });
    if (opened instanceof PartFile) this.#part = opened;
    else await this.#giveUp(opened);
    return new ModelDownload(this.#remote, this.#sink(), await this.#readBack(signal, report));
  }

  /** What an earlier visit left goes to the engine first, if it is of use. */
  async #readBack(signal: AbortSignal, report: TransferReport): Promise<Beginning | null> {
    const left = this.#part?.leftBehind ?? null;
    if (this.#part === null || left === null) return null;
    if (!canContinue(this.#remote, left.version) || !isOfHeader(this.#remote, left.version)) return null;
    const total = this.#remote.len_bytes ?? left.version.total;
    let bytes = 0;
    this.#engine.begin(total);
    const isIntact = this.#part.readBack(async (slice) => {
      if (signal.aborted) throw cancelledDownload();
      await this.#engine.push(slice);
      bytes += slice.length;
      report.onBytes(bytes, total);
    });
    if (await isIntact.catch(falseIfRefused)) {
      report.onStorage({ kind: "continued", bytes });
      return { bytes, version: left.version };
    }
    report.onRestart("part-altered");
    return null;
  }

  #sink(): DownloadSink {
    return {
      begin: async (totalBytes, version) => {
        await this.#part?.begin(version).catch(() => this.#giveUp("full"));
        this.#engine.begin(totalBytes);
      },
      push: async (bytes) => {
        await this.#engine.push(bytes);
        if (this.#part !== null && !(await this.#part.write(bytes))) await this.#giveUp("full");
      },
    };
  }

  async #resume(): Promise<void> {
    const refusal = (await this.#part?.resume()) ?? null;
    if (refusal !== null) await this.#giveUp(refusal);
  }

  async #giveUp(why: NotKept): Promise<void> {
    await this.#part?.suspend();
    this.#part = null;
    const needs_bytes = this.#remote.len_bytes ?? this.#remote.needed_bytes;
    const free_bytes = await this.#store.freeBytes();
    this.#report?.onStorage({ kind: "not-kept", why, needs_bytes, free_bytes });
  }
}

/** Bytes that the engine refuses are not those that it once took. */
function falseIfRefused(reason: unknown): false {
  if (engineErrorFrom(reason).code !== "bad-file") throw reason;
  return false;
}
