// Rows B119, B124, B125, B129, B131 to B134, B138, B139 and B141 to B145 of the project's list of bad inputs: what a
// download leaves in this browser's storage, and what the next visit makes of it.
import type { FileHash, ModelHeader } from "lastbit-engine";
import { expect, test } from "vitest";
import type { EngineError, ModelReport } from "../../src/shared/engine-records";
import { deleteModel, listModels, lockName } from "../../src/shared/model-records";
import type { ModelSource, RestartReason, StorageNews } from "../../src/shared/protocol";
import type { Answer, Ask } from "../../src/worker/ask";
import { ModelStore, type Place } from "../../src/worker/model-store";
import { ModelTransfers } from "../../src/worker/model-transfer";
import type { Transfer } from "../../src/worker/transfer";
import { FILE, fakeServer, type Habits, SITE } from "./fake-server";
import { FakeStorage } from "./fake-storage";

const never = new AbortController().signal;
const URL_SOURCE: ModelSource = { kind: "url", url: `${SITE}/m.gguf` };
const BUILT_IN: ModelSource = {
  kind: "built-in",
  title: "Built in",
  file_name: "m.gguf",
  url: `${SITE}/m.gguf`,
  len_bytes: FILE.length,
  sha256: "right",
};
const whole = [...FILE];
const model = (sha256: string, name = "Model") => ({ sha256, name }) as ModelReport;
const failure = (code: string): EngineError => ({ code, message: "m", what_to_do: "w" });

class Engine {
  bytes: number[] = [];
  begin(): void {
    this.bytes = [];
  }
  async push(bytes: Uint8Array): Promise<void> {
    this.bytes.push(...bytes);
  }
  async finish(): Promise<never> {
    throw failure("internal");
  }
}

/** One visit: a page of its own, with its own engine, over the same storage. */
function visit(place: Place | null, ...habits: Habits[]) {
  const server = fakeServer(...habits);
  const engine = new Engine();
  const news: StorageNews[] = [];
  const restarts: RestartReason[] = [];
  const counts: number[] = [];
  const newHeader = () => ({}) as ModelHeader;
  const newHash = () => ({}) as FileHash;
  const partNames = (name: string) => [name];
  const store = new ModelStore(async () => place);
  const load = async (source: ModelSource, options: { signal?: AbortSignal; ask?: Ask } = {}) => {
    const ask = options.ask ?? server.ask;
    transfers ??= new ModelTransfers({ ask, siteOrigin: SITE, newHeader, newHash, partNames, store });
    return transfers.run(source, null, engine, options.signal ?? never, {
      onPart: () => {},
      onBytes: (bytes) => counts.push(bytes),
      onRestart: (why) => restarts.push(why),
      onStorage: (what) => news.push(what),
      onSilence: () => {},
    });
  };
  let transfers: ModelTransfers | null = null;
  const ranges = () => server.asked.map(({ range }) => range);
  const kinds = () => news.map((what) => (what.kind === "not-kept" ? what.why : what.kind));
  return { ...server, engine, load, store, news, kinds, restarts, counts, ranges };
}

async function loadedOnce(storage: FakeStorage, source: ModelSource = BUILT_IN): Promise<Transfer> {
  const transfer = await visit(storage.place(), {}).load(source);
  await transfer.approve(model("right"));
  return transfer;
}

const kindsIn = async (storage: FakeStorage) =>
  (await listModels(storage.place().folder)).map(({ kind }) => kind);

test("a model is kept once the engine has found its hash right, and the next visit asks no server", async () => {
  const storage = new FakeStorage();
  const first = visit(storage.place(), {});
  const transfer = await first.load(URL_SOURCE);
  expect(storage.record()).toMatchObject({ state: "part", checked_bytes: 100 });
  await transfer.approve(model("abc", "A model"));
  expect(first.kinds()).toEqual(["kept"]);
  const kept = { state: "verified", name: "A model", len_bytes: 100, sha256: "abc", etag: '"one"' };
  expect(storage.record()).toMatchObject(kept);
  expect([storage.bytes(".gguf"), storage.bytes(".part")]).toEqual([whole, null]);

  const second = visit(storage.place(), {});
  const again = await second.load(URL_SOURCE);
  expect([second.engine.bytes, second.asked, second.kinds()]).toEqual([whole, [], ["from-storage"]]);
  expect(again.expected_sha256).toBe("abc");
});

test("another built-in model under the same address takes the old one's place", async () => {
  const storage = new FakeStorage();
  await loadedOnce(storage);
  const next = visit(storage.place(), {});
  const transfer = await next.load({ ...BUILT_IN, sha256: "newer" });
  await transfer.approve(model("newer"));
  expect([next.asked.length, storage.record().sha256]).toEqual([1, "newer"]);
});

test("a person's own files are not copied", async () => {
  const storage = new FakeStorage();
  const { load, news } = visit(storage.place(), {});
  const transfer = await load({ kind: "files", files: [new File([FILE], "m.gguf")] });
  await transfer.approve(model("right"));
  expect([storage.files.size, news]).toEqual([0, []]);
});

test.each([
  ["B124: no answer", { unreachable: true }, "download-network"],
  ["B125: a cut", { cut_after: 20 }, "download-cut"],
])("%s keeps the part, and the next visit asks for the rest alone", async (_, habits, code) => {
  const storage = new FakeStorage();
  const first = visit(storage.place(), { cut_after: 40 }, habits);
  await expect(first.load(URL_SOURCE)).rejects.toMatchObject({ code: "download-cut" });
  await expect(first.load(URL_SOURCE)).rejects.toMatchObject({ code });
  const n_kept = storage.bytes(".part")?.length ?? 0;
  expect(await kindsIn(storage)).toEqual(["incomplete"]);

  const second = visit(storage.place(), {});
  await second.load(URL_SOURCE);
  expect(second.asked).toEqual([{ url: `${SITE}/m.gguf`, range: `bytes=${n_kept}-`, if_range: '"one"' }]);
  expect([second.engine.bytes, second.news, second.restarts]).toEqual([
    whole,
    [{ kind: "continued", bytes: n_kept }],
    [],
  ]);
  expect(storage.bytes(".part")).toEqual(whole);
});

test("B129: a file that changed between two visits is taken from 0, never stitched", async () => {
  const storage = new FakeStorage();
  const other = FILE.map((byte) => byte + 100);
  await visit(storage.place(), { cut_after: 40 })
    .load(URL_SOURCE)
    .catch(() => {});
  const second = visit(storage.place(), { file: other, etag: '"two"' });
  await second.load(URL_SOURCE);
  expect([second.engine.bytes, storage.bytes(".part")]).toEqual([[...other], [...other]]);
  expect(second.restarts).toEqual(["file-changed"]);
});

test("B131: bytes that are not the model are thrown away, and the next try downloads them again", async () => {
  for (const code of ["hash-mismatch", "bad-file"]) {
    const storage = new FakeStorage();
    const page = visit(storage.place(), {});
    const transfer = await page.load(BUILT_IN);
    await transfer.reject(failure(code));
    expect(storage.files.size).toBe(0);
    await (await page.load(BUILT_IN)).approve(model("right"));
    expect([page.ranges(), await kindsIn(storage)]).toEqual([["bytes=0-", "bytes=0-"], ["verified"]]);
  }
});

test("B131: a kept copy that no longer has its hash is thrown away as well", async () => {
  const storage = new FakeStorage();
  await loadedOnce(storage);
  const page = visit(storage.place(), {});
  await (await page.load(BUILT_IN)).reject(failure("hash-mismatch"));
  expect(storage.files.size).toBe(0);
});

test("a failure of the engine keeps the bytes, and they are not downloaded again", async () => {
  const storage = new FakeStorage();
  await (await visit(storage.place(), {}).load(BUILT_IN)).reject(failure("out-of-memory"));
  const second = visit(storage.place(), {});
  await (await second.load(BUILT_IN)).approve(model("right"));
  expect([second.engine.bytes, second.asked, await kindsIn(storage)]).toEqual([whole, [], ["verified"]]);
});

test("B132: a part that was altered between two visits is noticed by its digest and taken from 0", async () => {
  const storage = new FakeStorage();
  await visit(storage.place(), { cut_after: 40 })
    .load(URL_SOURCE)
    .catch(() => {});
  const [name] = [...storage.files.keys()].filter((key) => key.endsWith(".part"));
  const altered = storage.files.get(name ?? "");
  if (altered) altered[17] = 0xff;
  const second = visit(storage.place(), {});
  await second.load(URL_SOURCE);
  expect([second.engine.bytes, second.restarts]).toEqual([whole, ["part-altered"]]);
  expect([second.ranges(), storage.bytes(".part")]).toEqual([["bytes=0-"], whole]);
});

test.each([0, 50, 90])("B133: a cancel at %i bytes reads nothing more and keeps the part", async (after) => {
  const storage = new FakeStorage();
  const abort = new AbortController();
  let n_reads = 0;
  const page = visit(storage.place(), {});
  const counting: Ask = async (...call) => {
    const answer: Answer = await page.ask(...call);
    const read = () => {
      n_reads += 1;
      if (n_reads === after / 10 + 1) abort.abort();
      return answer.read();
    };
    return { ...answer, read };
  };
  const cancelled = page.load(URL_SOURCE, { signal: abort.signal, ask: counting });
  await expect(cancelled).rejects.toMatchObject({ code: "download-cancelled" });
  expect([n_reads, page.n_closed()]).toEqual([after / 10 + 1, 1]);
  const left = [storage.bytes(".part")?.length, storage.record().checked_bytes, storage.files.size];
  expect(left).toEqual(after === 0 ? [undefined, undefined, 0] : [after, after, 2]);
  await page.load(URL_SOURCE);
  expect([page.engine.bytes, page.kinds(), storage.bytes(".part")]).toEqual([whole, [], whole]);
});

test("B133: a cancel while an earlier part is read stops there, and the next try goes on", async () => {
  const storage = new FakeStorage();
  await visit(storage.place(), { cut_after: 40 })
    .load(URL_SOURCE)
    .catch(() => {});
  const page = visit(storage.place(), {});
  const stopped = page.load(URL_SOURCE, { signal: AbortSignal.abort() });
  await expect(stopped).rejects.toMatchObject({ code: "download-cancelled" });
  await page.load(URL_SOURCE);
  expect([page.engine.bytes, page.ranges()]).toEqual([whole, ["bytes=40-"]]);
});

test("B134: a tab that is ended in the middle leaves an incomplete entry, which is never taken for a model", async () => {
  const storage = new FakeStorage();
  const hanging = fakeServer({});
  const ask: Ask = async (...call) => {
    const answer = await hanging.ask(...call);
    let n_reads = 0;
    return { ...answer, read: () => (n_reads++ < 4 ? answer.read() : new Promise(() => {})) };
  };
  void visit(storage.place()).load(BUILT_IN, { ask });
  while (storage.bytes(".part")?.length !== 40) await new Promise((resolve) => setTimeout(resolve));
  storage.endTab();
  expect(await kindsIn(storage)).toEqual(["incomplete"]);
  const next = visit(storage.place(), {});
  expect(await next.store.find(BUILT_IN.url)).toBeNull();
  await next.load(BUILT_IN);
  expect([next.engine.bytes, storage.bytes(".part")]).toEqual([whole, whole]);
});

test("B138: of two tabs one keeps the model; the other loads it all the same and says why it does not", async () => {
  const storage = new FakeStorage();
  const first = visit(storage.place(), { cut_after: 40 });
  let second: ReturnType<typeof visit> | null = null;
  const meanwhile: Ask = async (...call) => {
    const answer = await first.ask(...call);
    second = visit(storage.place(), {});
    const transfer = await second.load(BUILT_IN);
    await transfer.approve(model("right"));
    return answer;
  };
  await expect(first.load(BUILT_IN, { ask: meanwhile })).rejects.toMatchObject({ code: "download-cut" });
  const other = second as ReturnType<typeof visit> | null;
  expect([other?.engine.bytes, other?.kinds()]).toEqual([whole, ["other-tab"]]);
  expect([storage.bytes(".part")?.length, await kindsIn(storage)]).toEqual([40, ["incomplete"]]);
});

test("B138: a part that another tab has gone on with is left to it", async () => {
  const storage = new FakeStorage();
  const page = visit(storage.place(), { cut_after: 40 }, {});
  await page.load(BUILT_IN).catch(() => {});
  await loadedOnce(storage);
  const transfer = await page.load(BUILT_IN);
  await transfer.approve(model("right"));
  expect([page.engine.bytes, page.kinds()]).toEqual([whole, ["other-tab"]]);
  expect([await kindsIn(storage), storage.bytes(".part")]).toEqual([["verified"], null]);
});

test("B139: a full storage is told with what is needed and free; the load goes on, and the part is of use later", async () => {
  const storage = new FakeStorage();
  const page = visit(storage.place(), {});
  const filling: Ask = async (...call) => {
    const answer = await page.ask(...call);
    let n_reads = 0;
    const read = () => {
      n_reads += 1;
      // Room for one more piece and half of the next.
      if (n_reads === 4)
        storage.quota_bytes = [...storage.files.values()].reduce((sum, { length }) => sum + length, 15);
      return answer.read();
    };
    return { ...answer, read };
  };
  const transfer = await page.load(BUILT_IN, { ask: filling });
  await transfer.approve(model("right"));
  expect(page.engine.bytes).toEqual(whole);
  expect(page.news).toEqual([
    { kind: "not-kept", why: "full", needs_bytes: 100, free_bytes: expect.any(Number) },
  ]);
  expect([storage.bytes(".part"), storage.record().checked_bytes]).toEqual([whole.slice(0, 40), 40]);

  storage.quota_bytes = Number.POSITIVE_INFINITY;
  const next = visit(storage.place(), {});
  await (await next.load(BUILT_IN)).approve(model("right"));
  expect([next.engine.bytes, next.ranges(), storage.bytes(".gguf")]).toEqual([whole, ["bytes=40-"], whole]);
});

test("B139: no room even for the record: nothing is kept, and no trace is left", async () => {
  const storage = new FakeStorage();
  storage.quota_bytes = 50;
  const page = visit(storage.place(), {});
  await (await page.load(BUILT_IN)).approve(model("right"));
  expect([page.engine.bytes, page.kinds(), storage.files.size]).toEqual([whole, ["full"], 0]);
});

test("B141: a file that the browser has cleared, wholly or in part, is listed as gone and downloaded again", async () => {
  for (const clear of [(storage: FakeStorage, name: string) => storage.files.delete(name), shorten]) {
    const storage = new FakeStorage();
    await loadedOnce(storage);
    const [name] = [...storage.files.keys()].filter((key) => key.endsWith(".gguf"));
    clear(storage, name ?? "");
    expect(await kindsIn(storage)).toEqual(["gone"]);
    const next = visit(storage.place(), {});
    await (await next.load(BUILT_IN)).approve(model("right"));
    expect([next.ranges(), await kindsIn(storage)]).toEqual([["bytes=0-"], ["verified"]]);
  }
});

function shorten(storage: FakeStorage, name: string): void {
  storage.files.set(name, FILE.slice(0, 99));
}

test("B141: a part that the browser has cleared is listed as gone and downloaded from 0", async () => {
  const storage = new FakeStorage();
  await visit(storage.place(), { cut_after: 40 })
    .load(URL_SOURCE)
    .catch(() => {});
  const [name] = [...storage.files.keys()].filter((key) => key.endsWith(".part"));
  storage.files.delete(name ?? "");
  expect(await kindsIn(storage)).toEqual(["gone"]);
  const next = visit(storage.place(), {});
  await next.load(URL_SOURCE);
  expect([next.engine.bytes, next.restarts, next.ranges()]).toEqual([whole, ["part-altered"], ["bytes=0-"]]);
});

test("B142: without any storage a model is downloaded as before, and that nothing is kept is said", async () => {
  const page = visit(null, { cut_after: 40 }, {});
  await expect(page.load(BUILT_IN)).rejects.toMatchObject({ code: "download-cut" });
  const transfer = await page.load(BUILT_IN);
  await transfer.approve(model("right"));
  expect([page.engine.bytes, page.ranges()]).toEqual([whole, ["bytes=0-", "bytes=40-"]]);
  const told = { kind: "not-kept", why: "no-storage", needs_bytes: 100, free_bytes: null };
  expect(page.news).toEqual([told]);
});

test.each([
  ["not JSON", () => "{"],
  ["of other fields", (text: string) => text.replace('"len_bytes"', '"bytes"')],
  ["of a newer page", (text: string) => text.replace('"version":1', '"version":2')],
  ["of another model", (text: string) => text.replace(/"id":"./g, '"id":"x')],
])("B143: a record that is %s needs a check, is not overwritten, and others are fine", async (_, spoil) => {
  const storage = new FakeStorage();
  await loadedOnce(storage);
  const [name] = [...storage.files.keys()].filter((key) => key.endsWith(".json"));
  const spoiled = spoil(storage.text(name ?? ""));
  storage.files.set(name ?? "", new TextEncoder().encode(spoiled));
  await loadedOnce(storage, { kind: "url", url: `${SITE}/other.gguf` });
  expect((await kindsIn(storage)).sort()).toEqual(["needs-check", "verified"]);

  const page = visit(storage.place(), {});
  await (await page.load(BUILT_IN)).approve(model("right"));
  expect([page.engine.bytes, page.kinds()]).toEqual([whole, ["needs-check"]]);
  expect(storage.text(name ?? "")).toBe(spoiled);
});

test("B143: a file without a record needs a check, and can be deleted", async () => {
  const storage = new FakeStorage();
  storage.files.set("stray.gguf", new Uint8Array(7));
  const { folder, locks } = storage.place();
  expect(await listModels(folder)).toEqual([{ kind: "needs-check", id: "stray", len_bytes: 7 }]);
  expect(await deleteModel(folder, locks, ["stray"])).toBe(true);
  expect(storage.files.size).toBe(0);
});

test("of a model in parts every file is deleted or none", async () => {
  const storage = new FakeStorage();
  for (const id of ["one", "two", "three"]) storage.files.set(`${id}.gguf`, new Uint8Array(7));
  const { folder, locks } = storage.place();
  const ids = ["one", "two", "three"];
  await locks.request(lockName("two"), {}, async () => {
    expect(await deleteModel(folder, locks, ids)).toBe(false);
    expect(storage.files.size).toBe(3);
  });
  expect(await deleteModel(folder, locks, ids)).toBe(true);
  expect(storage.files.size).toBe(0);
});

test("B145: a file that something else holds open is left alone", async () => {
  const storage = new FakeStorage();
  await visit(storage.place(), { cut_after: 40 })
    .load(BUILT_IN)
    .catch(() => {});
  const [name] = [...storage.files.keys()].filter((key) => key.endsWith(".part"));
  await (await storage.place().folder.getFileHandle(name ?? "")).createSyncAccessHandle();
  const page = visit(storage.place(), {});
  await page.load(BUILT_IN);
  expect([page.engine.bytes, page.kinds()]).toEqual([whole, ["other-tab"]]);
});

test("B119: a file is named by our own id, whatever the address says", async () => {
  const storage = new FakeStorage();
  await loadedOnce(storage, { kind: "url", url: `${SITE}/a/..%2f..%2fCON%00<b>.gguf` });
  for (const name of storage.files.keys()) expect(name).toMatch(/^[0-9a-f]{32}\.(json|gguf)$/);
});

test("deleting frees the space, but never of a model that is being downloaded", async () => {
  const storage = new FakeStorage();
  await loadedOnce(storage);
  const { folder, locks } = storage.place();
  const [kept] = await listModels(folder);
  const page = visit(storage.place(), {});
  let whileReading: boolean | null = null;
  const ask: Ask = async (...call) => {
    const [begun] = await listModels(folder);
    whileReading = await deleteModel(folder, locks, [begun?.id ?? ""]);
    return page.ask(...call);
  };
  await page.load({ ...BUILT_IN, sha256: "newer" }, { ask });
  expect(whileReading).toBe(false);
  expect(await deleteModel(folder, locks, [kept?.id ?? ""])).toBe(true);
  expect(storage.files.size).toBe(0);
});

test("a copy that goes away while it is read is downloaded in its place", async () => {
  const storage = new FakeStorage();
  await loadedOnce(storage, URL_SOURCE);
  const page = visit(storage.place(), {});
  const { store } = page;
  const found = await store.find(URL_SOURCE.url);
  const broken = { arrayBuffer: () => Promise.reject(new DOMException("gone", "NotReadableError")) };
  if (found) Object.assign(found.file, { slice: () => broken });
  store.find = async () => found;
  const transfer = await page.load(URL_SOURCE);
  expect([page.engine.bytes, page.restarts, transfer.expected_sha256]).toEqual([whole, ["copy-gone"], null]);
  await transfer.approve(model("right"));
  expect(await kindsIn(storage)).toEqual(["verified"]);
});
