// What the worker does with models in this browser's storage: looks for one, keeps one, throws one away.
// Where there is no such storage everything else works as it does without it.
import {
  idOf,
  lockName,
  modelFolder,
  type Origin,
  readRecord,
  removeFiles,
  type VerifiedRecord,
  verifiedFile,
} from "../shared/model-records";
import type { NotKept } from "../shared/protocol";
import { PartFile, type Storage } from "./part-file";

/** A whole file whose hash was right when it was kept. */
export interface KeptFile {
  record: VerifiedRecord;
  file: File;
}

/** The storage, and what the browser says of its room. */
export interface Place extends Storage {
  estimate(): Promise<StorageEstimate>;
}

async function storageOfThisBrowser(): Promise<Place | null> {
  const folder = await modelFolder();
  const estimate = () => navigator.storage.estimate();
  return folder === null ? null : { folder, locks: navigator.locks, estimate };
}

export class ModelStore {
  readonly #storage: () => Promise<Place | null>;

  constructor(storage: () => Promise<Place | null> = storageOfThisBrowser) {
    this.#storage = storage;
  }

  /** The model of this address, if it is here whole. */
  async find(url: string): Promise<KeptFile | null> {
    const storage = await this.#storage();
    if (storage === null) return null;
    const record = await readRecord(storage.folder, await idOf(url));
    if (record === null || record === "unreadable" || record.state !== "verified") return null;
    const file = await verifiedFile(storage.folder, record);
    return file && { record, file };
  }

  /** The file to download into, for this page alone. */
  async open(file: Omit<Origin, "id">): Promise<PartFile | NotKept> {
    const storage = await this.#storage();
    if (storage === null) return "no-storage";
    return PartFile.open(storage, { id: await idOf(file.url), ...file });
  }

  /** Runs `work`; nobody may write or delete the file meanwhile, unless somebody is at it already. */
  async whileShared(url: string, work: () => Promise<void>): Promise<void> {
    const storage = await this.#storage();
    if (storage === null) return work();
    await storage.locks.request(lockName(await idOf(url)), { mode: "shared", ifAvailable: true }, work);
  }

  /** Throws away what is kept of this address, unless another tab is at it. */
  async discard(url: string): Promise<void> {
    const storage = await this.#storage();
    if (storage === null) return;
    const id = await idOf(url);
    await storage.locks.request(lockName(id), { ifAvailable: true }, async (lock) => {
      if (lock !== null) await removeFiles(storage.folder, id, [".json", ".part", ".gguf"]);
    });
  }

  /** What the browser says is free, which may be more than it gives; null where it says nothing. */
  async freeBytes(): Promise<number | null> {
    const told = await (await this.#storage())?.estimate();
    return told?.quota === undefined || told.usage === undefined ? null : told.quota - told.usage;
  }
}
