// What this browser keeps of models, as the view shows it: the list, the room, and what the browser promises of it.
import { signal } from "@preact/signals";
import {
  deleteModel,
  idOf,
  listModels,
  modelFolder,
  type PartPlace,
  type StoredModel,
} from "../../shared/model-records";
import type { ModelSource } from "../../shared/protocol";

export type Storage =
  | { kind: "looking" }
  /** The browser has none, or refuses it in this window. */
  | { kind: "none" }
  | {
      kind: "here";
      models: StoredModel[];
      /** Of this whole site, as the browser estimates it; null where it does not say. */
      used_bytes: number | null;
      quota_bytes: number | null;
      /** Whether the browser clears it only when a person says so. */
      is_persistent: boolean;
    };

export class StoredModels {
  readonly storage = signal<Storage>({ kind: "looking" });
  /** Id of the model that comes with the page; null until it is known. */
  readonly builtInId = signal<string | null>(null);
  #nLooks = 0;

  /** Looks anew. Two looks may go on at once and end in any order: what the later one began with is shown. */
  async look(builtInUrl: string): Promise<void> {
    this.#nLooks += 1;
    const nth = this.#nLooks;
    const folder = await modelFolder();
    if (folder === null) {
      this.storage.value = { kind: "none" };
      return;
    }
    this.builtInId.value = await idOf(builtInUrl);
    const [models, { usage, quota }, is_persistent] = await Promise.all([
      listModels(folder),
      navigator.storage.estimate(),
      navigator.storage.persisted(),
    ]);
    if (nth !== this.#nLooks) return;
    const [used_bytes, quota_bytes] = [usage ?? null, quota ?? null];
    this.storage.value = { kind: "here", models, used_bytes, quota_bytes, is_persistent };
  }

  /** All of them or none: false where one is being written or read, here or in another tab. */
  async remove(ids: readonly string[]): Promise<boolean> {
    const folder = await modelFolder();
    // A browser refuses to remove what something else has open.
    return folder !== null && deleteModel(folder, navigator.locks, ids).catch(() => false);
  }
}

/** One of a model's files. */
type StoredPart = Exclude<StoredModel, { kind: "needs-check" }> & { record: { part: PartPlace } };

/** What is here of a model in parts. */
export interface StoredSplit {
  /** Address of its first part. */
  of: string;
  name: string;
  count: number;
  /** In order. */
  parts: StoredPart[];
}

/** The files of one model together; a file that is a whole model, or unknown, by itself. */
export function together(models: readonly StoredModel[]): (StoredModel | StoredSplit)[] {
  const found: (StoredModel | StoredSplit)[] = [];
  const splits = new Map<string, StoredSplit>();
  for (const model of models) {
    if (!isPart(model)) {
      found.push(model);
      continue;
    }
    const { of, count } = model.record.part;
    const split = splits.get(of) ?? { of, name: model.record.name, count, parts: [] };
    if (!splits.has(of)) found.push(split);
    splits.set(of, split);
    split.parts.push(model);
    split.parts.sort((a, b) => a.record.part.number - b.record.part.number);
  }
  return found;
}

/** Whether every part is here, and was the right one. */
export function isWhole({ parts, count }: StoredSplit): boolean {
  return parts.length === count && parts.every(({ kind }) => kind === "verified");
}

/** Whether a load of this source asks no server: all of it is kept here. A person's own file is no copy of ours. */
export function isKept(storage: Storage, source: ModelSource): boolean {
  if (storage.kind !== "here" || source.kind === "files") return false;
  return together(storage.models).some((model) =>
    "parts" in model
      ? model.of === source.url && isWhole(model)
      : model.kind === "verified" && model.record.url === source.url,
  );
}

/** Bytes that are here of a source whose download did not end; 0 where it has none, or all. */
export function bytesHere(storage: Storage, source: ModelSource): number {
  if (storage.kind !== "here" || source.kind === "files" || isKept(storage, source)) return 0;
  const { url } = source;
  return bytesOf(
    storage.models.filter(
      (model) => model.kind !== "needs-check" && (model.record.url === url || model.record.part?.of === url),
    ),
  );
}

function isPart(model: StoredModel): model is StoredPart {
  return model.kind !== "needs-check" && (model.record.part ?? null) !== null;
}

/** Bytes that these take. */
export function bytesOf(models: readonly StoredModel[]): number {
  return models.reduce((sum, model) => sum + lengthOf(model), 0);
}

function lengthOf(model: StoredModel): number {
  switch (model.kind) {
    case "verified":
      return model.record.len_bytes;
    case "incomplete":
      return model.record.checked_bytes;
    case "gone":
      return 0;
    case "needs-check":
      return model.len_bytes;
  }
}
