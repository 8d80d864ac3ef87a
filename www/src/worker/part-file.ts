// The file of a model while it is downloaded into this browser's storage: written piece by piece beside a record of
// how much of it is sure, and a model only once the engine has found its hash right. Other tabs are kept out by a lock.
import {
  type FileVersion,
  lockName,
  type Origin,
  type PartRecord,
  readRecord,
  removeFiles,
  writeRecord,
} from "../shared/model-records";
import type { NotKept } from "../shared/protocol";
import { PartDigest } from "./part-digest";

/** Where files of models are kept, and who may write them. */
export interface Storage {
  folder: FileSystemDirectoryHandle;
  locks: LockManager;
}

/** How many bytes may be lost when the browser is ended in the middle. */
const UNCHECKED_BYTES = 16 << 20;
/** What is read of the file at once. */
const SLICE_BYTES = 4 << 20;

const NOTHING_KNOWN: FileVersion = { etag: null, last_modified: null, total: null, total_is_sure: false };

/** Not in the types yet; every browser with such storage has it. */
interface Movable {
  move(name: string): Promise<void>;
}

export class PartFile {
  readonly #storage: Storage;
  readonly #origin: Origin;
  #open: { handle: FileSystemSyncAccessHandle; release: () => void } | null = null;
  /** As it was written last. */
  #record: PartRecord | null = null;
  #version = NOTHING_KNOWN;
  #bytes = 0;
  #digest = new PartDigest();

  private constructor(storage: Storage, origin: Origin) {
    this.#storage = storage;
    this.#origin = origin;
  }

  /** The file, held for this page alone, or why it cannot be had. */
  static async open(storage: Storage, origin: Origin): Promise<PartFile | NotKept> {
    const part = new PartFile(storage, origin);
    const refusal = await part.#acquire();
    if (refusal !== null) return refusal;
    const record = await readRecord(storage.folder, origin.id);
    if (record === "unreadable") {
      await part.#close();
      return "needs-check";
    }
    part.#record = record?.state === "part" ? record : null;
    part.#bytes = part.#record?.checked_bytes ?? 0;
    return part;
  }

  /** What an earlier visit left; null where there is nothing to go on from. */
  get leftBehind(): PartRecord | null {
    return this.#record !== null && this.#record.checked_bytes > 0 ? this.#record : null;
  }

  /** Gives what an earlier visit left, slice by slice; whether it is still what was written then. */
  async readBack(take: (bytes: Uint8Array) => Promise<void>): Promise<boolean> {
    const digest = new PartDigest();
    for (let at = 0; at < this.#bytes; ) {
      const slice = new Uint8Array(Math.min(SLICE_BYTES, this.#bytes - at));
      if (this.#handle().read(slice, { at }) !== slice.length) return false;
      await digest.push(slice);
      await take(slice);
      at += slice.length;
    }
    if ((await digest.hex()) !== this.#record?.digest) return false;
    [this.#digest, this.#version] = [digest, this.#record.version];
    // What was written after the record is of no use.
    this.#handle().truncate(this.#bytes);
    return true;
  }

  /** Starts the file anew. Throws where the storage has no room left even for its record. */
  async begin(version: FileVersion): Promise<void> {
    [this.#version, this.#bytes, this.#digest] = [version, 0, new PartDigest()];
    await this.#note();
    this.#handle().truncate(0);
    await removeFiles(this.#storage.folder, this.#origin.id, [".gguf"]);
  }

  /** Whether there was room. Past the quota a write takes less than it is given, or throws. */
  async write(bytes: Uint8Array): Promise<boolean> {
    try {
      const n_written = this.#handle().write(bytes, { at: this.#bytes });
      if (n_written !== bytes.length) throw new DOMException("a short write", "QuotaExceededError");
      this.#bytes += bytes.length;
      await this.#digest.push(bytes);
      if (this.#bytes - (this.#record?.checked_bytes ?? 0) >= UNCHECKED_BYTES) await this.#note();
      return true;
    } catch {
      this.#handle().truncate(this.#bytes);
      return false;
    }
  }

  /** Lets the file go, with all that was written on record. */
  async suspend(): Promise<void> {
    if (this.#open === null) return;
    try {
      if (this.#bytes === 0) await this.#forget();
      else if (this.#bytes !== this.#record?.checked_bytes) await this.#note();
    } catch {
      // No room for the record: the one before tells of fewer bytes, and they are there.
    } finally {
      await this.#close();
    }
  }

  /** Takes the file again; or why not: another tab has it or has gone on with it, or not all of it is on record. */
  async resume(): Promise<NotKept | null> {
    if ((this.#record?.checked_bytes ?? 0) !== this.#bytes) return "full";
    const refusal = await this.#acquire();
    if (refusal !== null) return refusal;
    const found = await readRecord(this.#storage.folder, this.#origin.id);
    if (JSON.stringify(found) === JSON.stringify(this.#record)) return null;
    await this.#close();
    return "other-tab";
  }

  /** Makes it a model: the one small record at the end decides. */
  async complete(sha256: string, name: string): Promise<void> {
    const { folder } = this.#storage;
    const { id } = this.#origin;
    const { release } = this.#handleAndLock();
    try {
      this.#handle().flush();
      const len_bytes = this.#handle().getSize();
      if (len_bytes !== this.#bytes) throw new Error(`${len_bytes} of ${this.#bytes} bytes were kept`);
      this.#handle().close();
      const file = await folder.getFileHandle(`${id}.part`);
      await (file as FileSystemFileHandle & Movable).move(`${id}.gguf`);
      const { etag } = this.#version;
      const stored_at = new Date().toISOString();
      const verified = {
        ...this.#origin,
        name,
        state: "verified",
        len_bytes,
        sha256,
        etag,
        stored_at,
      } as const;
      await writeRecord(folder, verified);
    } finally {
      this.#open = null;
      release();
    }
  }

  /** Null where it was acquired. */
  async #acquire(): Promise<NotKept | null> {
    const { folder, locks } = this.#storage;
    const release = await lockAlone(locks, lockName(this.#origin.id));
    if (release === null) return "other-tab";
    try {
      const file = await folder.getFileHandle(`${this.#origin.id}.part`, { create: true });
      this.#open = { handle: await file.createSyncAccessHandle(), release };
      return null;
    } catch (reason) {
      release();
      const isBusy = reason instanceof DOMException && reason.name === "NoModificationAllowedError";
      return isBusy ? "other-tab" : "no-storage";
    }
  }

  async #note(): Promise<void> {
    this.#handle().flush();
    const record: PartRecord = {
      ...this.#origin,
      state: "part",
      checked_bytes: this.#bytes,
      digest: await this.#digest.hex(),
      version: this.#version,
    };
    await writeRecord(this.#storage.folder, record);
    this.#record = record;
  }

  #handle(): FileSystemSyncAccessHandle {
    return this.#handleAndLock().handle;
  }

  #handleAndLock(): { handle: FileSystemSyncAccessHandle; release: () => void } {
    if (this.#open === null) throw new Error("the stored file is not open");
    return this.#open;
  }

  /** A part of no bytes is nothing to go on from. */
  async #forget(): Promise<void> {
    if (this.#record !== null) await removeFiles(this.#storage.folder, this.#origin.id, [".json"]);
    this.#record = null;
  }

  async #close(): Promise<void> {
    if (this.#open === null) return;
    const { handle, release } = this.#open;
    const isEmpty = handle.getSize() === 0;
    handle.close();
    this.#open = null;
    if (isEmpty) await removeFiles(this.#storage.folder, this.#origin.id, [".part"]);
    release();
  }
}

/** Gives the lock back; null where somebody else holds it. */
function lockAlone(locks: LockManager, name: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null) return new Promise<void>((release) => resolve(release));
      resolve(null);
      return undefined;
    });
    held.catch(reject);
  });
}
