import type { FileHash, ModelHeader } from "lastbit-engine";
import { expect, test } from "vitest";
import type { ModelSource } from "../../src/shared/protocol";
import { ModelStore } from "../../src/worker/model-store";
import { ModelTransfers } from "../../src/worker/model-transfer";
import { FILE, fakeServer, type Habits, SITE } from "./fake-server";

const never = new AbortController().signal;
const nothing = {
  onPart: () => {},
  onBytes: () => {},
  onRestart: () => {},
  onStorage: () => {},
  onSilence: () => {},
};
const badFile = { code: "bad-file", message: "m", what_to_do: "w" };
const SOURCE: ModelSource = { kind: "url", url: `${SITE}/m.gguf` };

class Loader {
  bytes: number[] = [];
  begun: (ModelHeader | undefined)[] = [];
  refusesFrom = Number.POSITIVE_INFINITY;
  begin(_total: number | null, parts?: ModelHeader): void {
    this.begun.push(parts);
    this.bytes = [];
  }
  async push(bytes: Uint8Array): Promise<void> {
    if (this.bytes.length >= this.refusesFrom) throw badFile;
    this.bytes.push(...bytes);
  }
  async finish(): Promise<never> {
    throw badFile;
  }
}

function transfers(...habits: Habits[]) {
  const server = fakeServer(...habits);
  // The numbers of parts stand in the first byte of these files.
  const firsts: number[] = [];
  const header = {
    begin_file: () => {},
    push: ([first]: Uint8Array) => firsts.push(first ?? 0) > 0,
    end_file: () => {},
    order: () => Uint32Array.from(firsts.keys()).sort((a, b) => (firsts[a] ?? 0) - (firsts[b] ?? 0)),
  } as unknown as ModelHeader;
  const store = new ModelStore(async () => null);
  const made = new ModelTransfers({
    ask: server.ask,
    siteOrigin: SITE,
    newHeader: () => header,
    newHash: () => ({}) as FileHash,
    partNames: (name) => [name],
    store,
  });
  const run = (source: ModelSource, loader: Loader) => made.run(source, null, loader, never, nothing);
  return { ...server, header, made, run };
}

test("a cut transfer goes on, also when its source has crossed from the page once more", async () => {
  const loader = new Loader();
  const { run, asked } = transfers({ cut_after: 40 }, {});
  await expect(run(SOURCE, loader)).rejects.toMatchObject({ code: "download-cut" });
  await run({ ...SOURCE }, loader);
  expect([loader.bytes, loader.begun.length]).toEqual([[...FILE], 1]);
  expect(asked.map(({ range }) => range)).toEqual(["bytes=0-", "bytes=40-"]);
});

test("another source, or a lost engine, begins anew", async () => {
  const { run, made, asked } = transfers({ cut_after: 40 });
  const loader = new Loader();
  await run(SOURCE, loader).catch(() => {});
  await run({ kind: "url", url: `${SITE}/other.gguf` }, loader).catch(() => {});
  made.forget();
  await run({ kind: "url", url: `${SITE}/other.gguf` }, loader).catch(() => {});
  expect(asked.map(({ range }) => range)).toEqual(["bytes=0-", "bytes=0-", "bytes=0-"]);
});

test("bytes that the engine refused are not continued: the next try begins the file anew", async () => {
  const files: ModelSource = { kind: "files", files: [new File([FILE], "m.gguf")] };
  for (const source of [SOURCE, files]) {
    const loader = new Loader();
    loader.refusesFrom = 0;
    const { run } = transfers({});
    await expect(run(source, loader)).rejects.toBe(badFile);
    loader.refusesFrom = Number.POSITIVE_INFINITY;
    await run(source, loader);
    expect([loader.bytes, loader.begun.length]).toEqual([[...FILE], 2]);
  }
});

test("parts are taken in their own order, under the header of all; a single file brings its own", async () => {
  const { run, header } = transfers({});
  const part = (first: number) => new File([Uint8Array.from([first, 10 * first])], `${first}.gguf`);
  const loader = new Loader();
  await run({ kind: "files", files: [part(3), part(1), part(2)] }, loader);
  expect([loader.bytes, loader.begun]).toEqual([[1, 10, 2, 20, 3, 30], [header]]);
  await run({ kind: "files", files: [part(3)] }, loader);
  expect(loader.begun.at(-1)).toBeUndefined();
});
