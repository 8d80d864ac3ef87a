// A model in parts by the address of one: all are named, read, kept and continued each on its own, and loaded as one.
import type { FileHash, ModelHeader } from "lastbit-engine";
import { expect, test } from "vitest";
import type { ModelReport } from "../../src/shared/engine-records";
import { listModels } from "../../src/shared/model-records";
import type { StorageNews } from "../../src/shared/protocol";
import type { Ask } from "../../src/worker/ask";
import { ModelStore } from "../../src/worker/model-store";
import { ModelTransfers } from "../../src/worker/model-transfer";
import { addressesOfAll, readUrlHeaders } from "../../src/worker/part-headers";
import { fakeServer, type Habits, SITE } from "./fake-server";
import { FakeStorage } from "./fake-storage";

const never = new AbortController().signal;
const url = (number: number, query = "") => `${SITE}/m-0000${number}-of-00003.gguf${query}`;
/** Three files of other lengths; the first byte of each is its number, and counts as its header. */
const FILES = [40, 30, 50].map((length, index) =>
  Uint8Array.from({ length }, (_, at) => (at === 0 ? index + 1 : 100 * index + at)),
);
const bytesOf = (...files: (Uint8Array | undefined)[]) => files.flatMap((file) => [...(file ?? [])]);
const WHOLE = bytesOf(...FILES);
/** In place of the engine's: of all bytes and their order. */
const hashOf = (bytes: Iterable<number>) =>
  [...bytes].reduce((sum, byte) => (sum * 31 + byte) % 2 ** 32, 7).toString(16);

/** As the engine takes such a name apart; the real one is tested in Rust. */
function partNames(name: string): string[] {
  const [, stem, count] = /^(.*)-\d{5}-of-(\d{5})\.gguf$/.exec(name) ?? [];
  const numbers = Array.from({ length: Number(count ?? 0) }, (_, index) =>
    String(index + 1).padStart(5, "0"),
  );
  return count === undefined ? [name] : numbers.map((number) => `${stem}-${number}-of-${count}.gguf`);
}

class Hash {
  #bytes: number[] = [];
  push(bytes: Uint8Array): void {
    this.#bytes.push(...bytes);
  }
  hex(): string {
    return hashOf(this.#bytes);
  }
}

class Header {
  lens: number[] = [];
  begin_file(_name: string, len_bytes: number | undefined): void {
    this.lens.push(len_bytes ?? 20);
  }
  push(bytes: Uint8Array): boolean {
    if (bytes[0] === 60) throw { code: "bad-file", message: "a page (GGUF_MAGIC)", what_to_do: "w" };
    return true;
  }
  end_file(): void {}
  lens_bytes(): Float64Array {
    return Float64Array.from(this.lens);
  }
}

class Engine {
  bytes: number[] = [];
  begun: [number | null, boolean][] = [];
  begin(total: number | null, parts?: ModelHeader): void {
    this.begun.push([total, parts !== undefined]);
    this.bytes = [];
  }
  async push(bytes: Uint8Array): Promise<void> {
    this.bytes.push(...bytes);
  }
  async finish(): Promise<never> {
    throw new Error("not here");
  }
}

type Meets = (number: number, nth: number) => Habits;

/** One visit of a page: each request for a part's bytes (not its header) meets `meets` of the part and how often it was asked for. */
function visit(storage: FakeStorage | null, meets: Meets = () => ({}), headers: Meets = () => ({})) {
  const asked: string[] = [];
  const n_asked = new Map<string, number>();
  const ask: Ask = (address, sent, signal) => {
    const number = Number(/-(\d{5})-of/.exec(address)?.[1]);
    const isHeader = !sent.Range?.endsWith("-");
    const key = `${number} ${isHeader}`;
    const nth = (n_asked.get(key) ?? 0) + 1;
    n_asked.set(key, nth);
    if (!isHeader) asked.push(`${number} ${sent.Range}`);
    const habits = (isHeader ? headers : meets)(number, nth);
    return fakeServer({ file: FILES[number - 1] ?? new Uint8Array(0), ...habits }).ask(address, sent, signal);
  };
  const engine = new Engine();
  const [parts, counts, news, restarts]: [string[], string[], StorageNews[], string[]] = [[], [], [], []];
  const store = new ModelStore(async () => storage?.place() ?? null);
  const transfers = new ModelTransfers({
    ask,
    siteOrigin: SITE,
    newHeader: () => new Header() as unknown as ModelHeader,
    newHash: () => new Hash() as unknown as FileHash,
    partNames,
    store,
  });
  const load = (address = url(2), signal = never) =>
    transfers.run({ kind: "url", url: address }, null, engine, signal, {
      onPart: (number, count) => parts.push(`${number}/${count}`),
      onBytes: (bytes, total) => counts.push(`${bytes}/${total}`),
      onRestart: (why) => restarts.push(why),
      onStorage: (what) => news.push(what),
      onSilence: () => {},
    });
  const check = (address = url(2), signal = never) =>
    readUrlHeaders(
      addressesOfAll(address, partNames),
      new Header() as unknown as ModelHeader,
      { ask, siteOrigin: SITE, store },
      signal,
    );
  const n_headers = () => [1, 2, 3].map((number) => n_asked.get(`${number} true`) ?? 0);
  return { load, check, engine, asked, parts, counts, news, restarts, n_headers };
}

const MODEL = { sha256: "of all", name: "Split model" } as ModelReport;
const kept = async (storage: FakeStorage) => listModels(storage.place().folder);
const states = async (storage: FakeStorage) => (await kept(storage)).map(({ kind }) => kind).sort();

async function loadedOnce(storage: FakeStorage): Promise<void> {
  await (await visit(storage).load()).approve(MODEL);
}

test("the address of one part names all, in order, with its query; others stay as they are", () => {
  const all = [1, 2, 3].map((number) => url(number, "?a=b&c=%2F"));
  expect(addressesOfAll(url(3, "?a=b&c=%2F"), partNames)).toEqual(all);
  expect(addressesOfAll(`${SITE}/m.gguf?x`, partNames)).toEqual([`${SITE}/m.gguf?x`]);
  expect(addressesOfAll(`${SITE}/`, partNames)).toEqual([`${SITE}/`]);
});

test("all headers are read, and no more, before anything is loaded; then each part comes once, as one model", async () => {
  const { check, load, engine, asked, parts, counts, n_headers } = visit(null);
  expect((await check()).map(({ version }) => version.total)).toEqual([40, 30, 50]);
  expect([asked, n_headers()]).toEqual([[], [1, 1, 1]]);
  await load();
  expect(asked).toEqual(["1 bytes=0-", "2 bytes=0-", "3 bytes=0-"]);
  expect([engine.bytes, engine.begun]).toEqual([WHOLE, [[120, true]]]);
  expect(parts).toEqual(["1/3", "2/3", "3/3"]);
  expect([counts[0], counts.at(-1)]).toEqual(["10/120", "120/120"]);
});

test("every part is kept with its own hash once the model is right, and the next visit asks no server", async () => {
  const storage = new FakeStorage();
  const first = visit(storage);
  const transfer = await first.load();
  expect(await states(storage)).toEqual(["incomplete", "incomplete", "incomplete"]);
  await transfer.approve(MODEL);
  expect(first.news).toEqual([{ kind: "kept" }]);
  const records = (await kept(storage)).flatMap((model) => (model.kind === "verified" ? [model.record] : []));
  const inOrder = records.sort((a, b) => (a.part?.number ?? 0) - (b.part?.number ?? 0));
  expect(inOrder.map(({ part, sha256, name }) => [part, sha256, name])).toEqual(
    FILES.map((file, index) => [{ of: url(1), number: index + 1, count: 3 }, hashOf(file), "Split model"]),
  );

  // By another part, the same model.
  const second = visit(storage);
  expect((await second.check(url(3))).every(({ is_kept }) => is_kept)).toBe(true);
  await second.load(url(3));
  expect([second.engine.bytes, second.asked, second.n_headers()]).toEqual([WHOLE, [], [0, 0, 0]]);
  expect(second.news[0]).toEqual({ kind: "from-storage" });
});

test("a part that is missing is named, and nothing is loaded", async () => {
  const missing = visit(null, undefined, (number) => (number === 3 ? { status: 404 } : {}));
  await expect(missing.check()).rejects.toMatchObject({
    code: "download-http",
    message: `Part 3 of 3: The server answered with status 404 for ${url(3)}.`,
  });
  const html = new TextEncoder().encode("<!doctype html>");
  const other = visit(null, undefined, (number) => (number === 1 ? { file: html } : {}));
  await expect(other.check()).rejects.toMatchObject({ message: "Part 1 of 3: a page (GGUF_MAGIC)" });
  expect([missing.asked, other.asked]).toEqual([[], []]);
});

test("B125: a cut in the second part goes on there: the first is not asked for again", async () => {
  const cutting: Meets = (number, nth) => (number === 2 && nth === 1 ? { cut_after: 10 } : {});
  const { load, engine, asked, n_headers } = visit(new FakeStorage(), cutting);
  await expect(load()).rejects.toMatchObject({
    code: "download-cut",
    message: expect.stringContaining("Part 2 of 3: "),
  });
  await load(url(1));
  expect(asked).toEqual(["1 bytes=0-", "2 bytes=0-", "2 bytes=10-", "3 bytes=0-"]);
  expect([engine.bytes, engine.begun.length, n_headers()]).toEqual([WHOLE, 1, [1, 1, 1]]);
});

test("B134: the next visit takes the parts that are here from storage and asks for the rest alone", async () => {
  const storage = new FakeStorage();
  await visit(storage, (number) => (number === 2 ? { cut_after: 10 } : {}))
    .load()
    .catch(() => {});
  const second = visit(storage);
  await second.load();
  expect(second.asked).toEqual(["2 bytes=10-", "3 bytes=0-"]);
  expect([second.engine.bytes, second.restarts]).toEqual([WHOLE, []]);
  expect(second.news).toEqual([
    { kind: "continued", bytes: 40 },
    { kind: "continued", bytes: 50 },
  ]);
});

test("B129: a part that changed in the middle is refused with its number; the next try reads all headers anew, and stitches none", async () => {
  const fresh = {
    file: FILES[1]?.map((byte, at) => (at === 0 ? byte : byte + 7)) ?? new Uint8Array(0),
    etag: '"two"',
  };
  const changing: Meets = (number, nth) => (number !== 2 ? {} : nth === 1 ? { cut_after: 10 } : fresh);
  const headers: Meets = (number, nth) => (number === 2 && nth > 1 ? fresh : {});
  const { load, engine, asked, n_headers } = visit(new FakeStorage(), changing, headers);
  await expect(load()).rejects.toMatchObject({ code: "download-cut" });
  await expect(load()).rejects.toMatchObject({
    code: "file-changed",
    message: expect.stringContaining("Part 2 of 3: "),
  });
  await load();
  expect(engine.bytes).toEqual(bytesOf(FILES[0], fresh.file, FILES[2]));
  expect([n_headers(), engine.begun.length]).toEqual([[2, 2, 2], 2]);
  // The first part comes from storage the second time.
  expect(asked).toEqual(["1 bytes=0-", "2 bytes=0-", "2 bytes=10-", "2 bytes=0-", "3 bytes=0-"]);
});

test("B128, B132: a part that has to be taken again takes the others along: the engine forgets nothing by half", async () => {
  const storage = new FakeStorage();
  const ignoring: Meets = (number, nth) =>
    number === 2 ? (nth === 1 ? { cut_after: 10 } : { ignores_range: true }) : {};
  const first = visit(storage, ignoring);
  await first.load().catch(() => {});
  await first.load();
  expect([first.engine.bytes, first.engine.begun.length, first.restarts]).toEqual([WHOLE, 2, ["whole-file"]]);
  for (const [name, bytes] of storage.files) if (name.endsWith(".part") && bytes[0] === 3) bytes[9] = 0;
  const second = visit(storage);
  await second.load();
  expect([second.engine.bytes, second.restarts]).toEqual([WHOLE, ["part-altered"]]);
  // The second part is of a length that nobody told: the server says that nothing is behind it.
  expect(second.asked).toEqual(["2 bytes=30-", "3 bytes=0-", "2 bytes=30-", "3 bytes=0-"]);
});

test("B129: a part that changed after its header was read is refused, with its number", async () => {
  const other: Meets = (number) => (number === 3 ? { etag: '"two"' } : {});
  const { load } = visit(null, other);
  await expect(load()).rejects.toMatchObject({
    code: "file-changed",
    message: expect.stringContaining("Part 3 of 3: "),
  });
});

test("B126: a part that ends early is not filled up with the next one", async () => {
  const short: Meets = (number) => (number === 1 ? { cut_after: 20, ends_cleanly: true } : {});
  const { load, engine } = visit(null, short);
  await expect(load()).rejects.toMatchObject({ code: "download-cut" });
  expect(engine.bytes).toEqual(bytesOf(FILES[0]?.subarray(0, 20)));
});

test("what is behind a part's data does not reach the engine, where only its header told how long it is", async () => {
  const hidden: Meets = () => ({ hides_headers: true, ignores_range: true });
  const { load, engine } = visit(null, hidden, hidden);
  await load(url(1).replace(SITE, "https://example.org"));
  expect(engine.bytes).toEqual(bytesOf(...FILES.map((file) => file.subarray(0, 20))));
});

test("B131: a kept part that is no longer what it was is named, thrown away alone, and downloaded again", async () => {
  const storage = new FakeStorage();
  await loadedOnce(storage);
  const spoiled = [...storage.files].find(([name, bytes]) => name.endsWith(".gguf") && bytes[0] === 2);
  if (spoiled?.[1]) spoiled[1][5] = 0;
  const second = visit(storage);
  await expect(second.load()).rejects.toMatchObject({
    code: "hash-mismatch",
    message: expect.stringContaining(`not ${hashOf(FILES[1] ?? [])}`),
  });
  expect(await states(storage)).toEqual(["verified", "verified"]);
  const transfer = await second.load();
  await transfer.approve(MODEL);
  expect([second.asked, second.engine.bytes]).toEqual([["2 bytes=0-"], WHOLE]);
  expect(await states(storage)).toEqual(["verified", "verified", "verified"]);
  expect(second.news.at(-1)).toEqual({ kind: "kept" });
});

test("B131: parts that are together no model are all thrown away", async () => {
  const storage = new FakeStorage();
  const transfer = await visit(storage).load();
  await transfer.reject({ code: "bad-file", message: "m", what_to_do: "w" });
  expect(storage.files.size).toBe(0);
});

test("B133: a cancel between and within parts and headers reads nothing more, and goes on", async () => {
  const abort = new AbortController();
  const stopping: Meets = (number) => {
    if (number === 2) abort.abort();
    return {};
  };
  const { load, check, engine, asked } = visit(new FakeStorage(), stopping);
  await expect(load(url(2), abort.signal)).rejects.toMatchObject({ code: "download-cancelled" });
  expect(asked).toEqual(["1 bytes=0-", "2 bytes=0-"]);
  await expect(check(url(2), abort.signal)).rejects.toMatchObject({ code: "download-cancelled" });
  await load();
  expect([engine.bytes, engine.begun.length]).toEqual([WHOLE, 1]);
  expect(asked.filter((request) => request.startsWith("1"))).toHaveLength(1);
});

test("B138: another tab at one part: the model loads, and that it is not kept whole is said once", async () => {
  const storage = new FakeStorage();
  const other = await new ModelStore(async () => storage.place()).open({ url: url(2), name: "m" });
  expect(typeof other).toBe("object");
  const { load, engine, news } = visit(storage);
  await (await load()).approve(MODEL);
  expect(engine.bytes).toEqual(WHOLE);
  expect(news.map((what) => (what.kind === "not-kept" ? what.why : what.kind))).toEqual(["other-tab"]);
});

test("B139: a full storage in the second part keeps the first, and the model loads all the same", async () => {
  const storage = new FakeStorage();
  const { load, engine, news } = visit(storage, (number) => {
    if (number === 2) storage.quota_bytes = 0;
    return {};
  });
  await load();
  expect(engine.bytes).toEqual(WHOLE);
  expect(news.map((what) => (what.kind === "not-kept" ? what.why : what.kind))).toEqual(["full"]);
  storage.quota_bytes = Number.POSITIVE_INFINITY;
  const next = visit(storage);
  await next.load();
  expect([next.engine.bytes, next.asked]).toEqual([WHOLE, ["2 bytes=0-", "3 bytes=0-"]]);
});
