// What this browser's storage holds of models: of each a record, and beside it the file. The worker writes them, the
// page lists and deletes them.
//   <id>.part    the first bytes of a download
//   <id>.gguf    a whole file whose hash was right
//   <id>.json    the record; a file is a model only where its record says "verified"
// The id is made of the address: no name that anybody else chose becomes a file's name.

/** Records of a later version are left alone. */
const VERSION = 1;
const FOLDER = "models";

/** By what a file on a server is known to be the same one. */
export interface FileVersion {
  etag: string | null;
  last_modified: string | null;
  total: number | null;
  /** A range is one of plain bytes; a bare Content-Length may be that of an encoded body. */
  total_is_sure: boolean;
}

/** Which of a model's files it is. */
export interface PartPlace {
  /** Address of the first of them. */
  of: string;
  /** From 1. */
  number: number;
  count: number;
}

/** Whose file it is. */
export interface Origin {
  id: string;
  /** For people. */
  name: string;
  url: string;
  /** Null, or missing in earlier records, where the file is the whole model. */
  part?: PartPlace | null;
}

export type PartRecord = Origin & {
  state: "part";
  /** How many bytes of the file are sure, and the digest that they have (part-digest.ts). */
  checked_bytes: number;
  digest: string;
  version: FileVersion;
};

export type VerifiedRecord = Origin & {
  state: "verified";
  len_bytes: number;
  sha256: string;
  etag: string | null;
  stored_at: string;
};

export type ModelRecord = PartRecord | VerifiedRecord;

export type StoredModel =
  | { kind: "verified"; id: string; record: VerifiedRecord }
  | { kind: "incomplete"; id: string; record: PartRecord }
  /** The browser has cleared the file, or shortened it. */
  | { kind: "gone"; id: string; record: ModelRecord }
  /** A file without a record, or with one that cannot be read here. */
  | { kind: "needs-check"; id: string; len_bytes: number };

/** Null where this browser has no such storage, or refuses it in this window. */
export async function modelFolder(): Promise<FileSystemDirectoryHandle | null> {
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(FOLDER, { create: true });
  } catch {
    return null;
  }
}

/** The same for the same address, and always a plain file name. */
export async function idOf(url: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(url));
  return [...new Uint8Array(digest).subarray(0, 16)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** Null where there is none; "unreadable" where it is damaged, or of a later version of this page. */
export async function readRecord(
  folder: FileSystemDirectoryHandle,
  id: string,
): Promise<ModelRecord | "unreadable" | null> {
  const file = await fileIn(folder, `${id}.json`);
  if (file === null) return null;
  try {
    const found = JSON.parse(await file.text());
    return found.version === VERSION && found.id === id && isRecord(found.record)
      ? found.record
      : "unreadable";
  } catch {
    return "unreadable";
  }
}

/** All of it, or what was there before. Throws where there is no room for it. */
export async function writeRecord(folder: FileSystemDirectoryHandle, record: ModelRecord): Promise<void> {
  const name = `${record.id}.json`;
  const handle = await folder.getFileHandle(name, { create: true });
  try {
    const writable = await handle.createWritable();
    await writable.write(JSON.stringify({ version: VERSION, id: record.id, record }));
    await writable.close();
  } catch (reason) {
    if ((await fileIn(folder, name))?.size === 0) await removeFiles(folder, record.id, [".json"]);
    throw reason;
  }
}

/** Null where there is no such file. */
export async function fileIn(folder: FileSystemDirectoryHandle, name: string): Promise<File | null> {
  try {
    return await (await folder.getFileHandle(name)).getFile();
  } catch {
    return null;
  }
}

/** The file of a model whose record says that its hash was right; null where it is gone or of another length. */
export async function verifiedFile(
  folder: FileSystemDirectoryHandle,
  { id, len_bytes }: VerifiedRecord,
): Promise<File | null> {
  const file = await fileIn(folder, `${id}.gguf`);
  return file?.size === len_bytes ? file : null;
}

export async function listModels(folder: FileSystemDirectoryHandle): Promise<StoredModel[]> {
  const ids = new Set<string>();
  for await (const name of folder.keys()) ids.add(name.replace(/\.[^.]*$/, ""));
  return Promise.all([...ids].sort().map((id) => look(folder, id)));
}

async function look(folder: FileSystemDirectoryHandle, id: string): Promise<StoredModel> {
  const record = await readRecord(folder, id);
  const part = await fileIn(folder, `${id}.part`);
  if (record === null || record === "unreadable") {
    const whole = await fileIn(folder, `${id}.gguf`);
    return { kind: "needs-check", id, len_bytes: (part?.size ?? 0) + (whole?.size ?? 0) };
  }
  if (record.state === "verified") {
    const isThere = (await verifiedFile(folder, record)) !== null;
    return isThere ? { kind: "verified", id, record } : { kind: "gone", id, record };
  }
  const isThere = (part?.size ?? -1) >= record.checked_bytes;
  return isThere ? { kind: "incomplete", id, record } : { kind: "gone", id, record };
}

/** Whoever writes a model's file or deletes it holds this lock alone; whoever reads it shares it. */
export function lockName(id: string): string {
  return `lastbit-model-${id}`;
}

/** Frees the space of a model's files; false, and all of them stay, where one is being written or read, here or in another tab. */
export async function deleteModel(
  folder: FileSystemDirectoryHandle,
  locks: LockManager,
  ids: readonly string[],
): Promise<boolean> {
  const [id, ...others] = ids;
  if (id === undefined) return true;
  return locks.request(lockName(id), { ifAvailable: true }, async (lock) => {
    if (lock === null || !(await deleteModel(folder, locks, others))) return false;
    await removeFiles(folder, id, [".json", ".part", ".gguf"]);
    return true;
  });
}

/** The record goes first: what is left without one is no model. */
export async function removeFiles(
  folder: FileSystemDirectoryHandle,
  id: string,
  endings: readonly (".json" | ".part" | ".gguf")[],
): Promise<void> {
  for (const ending of endings) {
    await folder.removeEntry(`${id}${ending}`).catch((reason: unknown) => {
      if (!(reason instanceof DOMException && reason.name === "NotFoundError")) throw reason;
    });
  }
}

function isRecord(found: unknown): found is ModelRecord {
  if (!isObject(found) || !hasTexts(found, ["id", "name", "url"]) || !isPlaceOrNone(found.part)) return false;
  if (found.state === "part") {
    return hasTexts(found, ["digest"]) && isCount(found.checked_bytes) && isVersion(found.version);
  }
  if (found.state !== "verified") return false;
  return isCount(found.len_bytes) && hasTexts(found, ["sha256", "stored_at"]) && isTextOrNull(found.etag);
}

function isPlaceOrNone(found: unknown): boolean {
  if (found === undefined || found === null) return true;
  return isObject(found) && hasTexts(found, ["of"]) && isCount(found.number) && isCount(found.count);
}

function isVersion(found: unknown): found is FileVersion {
  if (!isObject(found) || typeof found.total_is_sure !== "boolean") return false;
  const { etag, last_modified, total } = found;
  return isTextOrNull(etag) && isTextOrNull(last_modified) && (total === null || isCount(total));
}

function isObject(found: unknown): found is Record<string, unknown> {
  return typeof found === "object" && found !== null;
}

function hasTexts(found: Record<string, unknown>, names: readonly string[]): boolean {
  return names.every((name) => typeof found[name] === "string");
}

function isTextOrNull(found: unknown): found is string | null {
  return found === null || typeof found === "string";
}

function isCount(found: unknown): found is number {
  return Number.isSafeInteger(found) && (found as number) >= 0;
}
