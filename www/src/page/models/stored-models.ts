// What this browser keeps of models, as the view shows it: the list, the room, and what the browser promises of it.
import { signal } from "@preact/signals";
import { deleteModel, idOf, listModels, modelFolder, type StoredModel } from "../../shared/model-records";

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

  async look(builtInUrl: string): Promise<void> {
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
    const [used_bytes, quota_bytes] = [usage ?? null, quota ?? null];
    this.storage.value = { kind: "here", models, used_bytes, quota_bytes, is_persistent };
  }

  /** False where it is being written or read, here or in another tab. */
  async remove(id: string): Promise<boolean> {
    const folder = await modelFolder();
    return folder !== null && deleteModel(folder, navigator.locks, id);
  }
}
