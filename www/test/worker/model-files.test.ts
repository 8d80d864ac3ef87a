import { expect, test } from "vitest";
import { ModelFiles } from "../../src/worker/model-files";

const nothing = { onBytes: () => {}, onPart: () => {} };
const never = new AbortController().signal;
const MB = 1 << 20;

/** A file of pieces that say where they are. */
function fileOf(length: number, first = 0): File {
  return new File([Uint8Array.from({ length }, (_, index) => (index + first) % 251)], `${length}.gguf`);
}

class Lengths {
  n_begun = 0;
  total: number | null = null;
  pieces: number[] = [];
  bytes: number[] = [];
  begin(total: number | null): void {
    this.n_begun += 1;
    this.total = total;
  }
  async push(bytes: Uint8Array): Promise<void> {
    this.pieces.push(bytes.length);
    this.bytes.push(...bytes.slice(0, 4));
  }
}

test("a file is read in slices, each of a few megabytes, and counted", async () => {
  const sink = new Lengths();
  const counts: [number, number | null][] = [];
  const onBytes = (bytes: number, total: number | null) => counts.push([bytes, total]);
  await new ModelFiles([fileOf(9 * MB)], sink).run(never, { ...nothing, onBytes });
  expect([sink.total, sink.pieces]).toEqual([9 * MB, [4 * MB, 4 * MB, MB]]);
  expect(counts.at(-1)).toEqual([9 * MB, 9 * MB]);
});

test("parts follow one another, and none of no bytes is in the way", async () => {
  const sink = new Lengths();
  await new ModelFiles([fileOf(5, 1), fileOf(0), fileOf(6, 100)], sink).run(never, nothing);
  expect([sink.n_begun, sink.total, sink.pieces]).toEqual([1, 11, [5, 6]]);
  expect(sink.bytes).toEqual([1, 2, 3, 4, 100, 101, 102, 103]);
});

test("of several files it is said which one is read; a single one goes without saying", async () => {
  const told: [number, number][] = [];
  const onPart = (number: number, count: number) => told.push([number, count]);
  const files = [fileOf(5 * MB), fileOf(5)];
  await new ModelFiles(files, new Lengths()).run(never, { ...nothing, onPart });
  expect(told).toEqual([
    [1, 2],
    [2, 2],
  ]);
  await new ModelFiles(files.slice(1), new Lengths()).run(never, { ...nothing, onPart });
  expect(told).toHaveLength(2);
});

test("reading can be stopped, and goes on where it stopped", async () => {
  const sink = new Lengths();
  const reading = new ModelFiles([fileOf(5 * MB), fileOf(5 * MB)], sink);
  const abort = new AbortController();
  const onBytes = (bytes: number) => bytes > 5 * MB && abort.abort();
  await expect(reading.run(abort.signal, { ...nothing, onBytes })).rejects.toMatchObject({
    code: "download-cancelled",
  });
  const counts: number[] = [];
  await reading.run(never, { ...nothing, onBytes: (bytes) => counts.push(bytes) });
  expect([sink.n_begun, sink.pieces]).toEqual([1, [4 * MB, MB, 4 * MB, MB]]);
  expect(counts).toEqual([10 * MB]);
});

test("B144: a file that was moved or changed is asked for again", async () => {
  const gone = Object.assign(fileOf(5), {
    slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("gone", "NotReadableError")) }),
  });
  const failure = new ModelFiles([gone as unknown as File], new Lengths()).run(never, nothing);
  await expect(failure).rejects.toMatchObject({
    code: "file-changed",
    message: expect.stringContaining("5.gguf"),
  });
});

test("B146: a file of 5 GB is read slice by slice, one at a time, and counted beyond 32 bits", async () => {
  const size = 5_000_000_000;
  const buffer = new ArrayBuffer(4 * MB);
  const starts: number[] = [];
  const slice = (start: number, end: number) => {
    starts.push(start);
    return { arrayBuffer: async () => buffer.slice(0, Math.min(end, size) - start) };
  };
  let [n_now, n_most, taken] = [0, 0, 0];
  const sink = {
    begin: () => {},
    push: async ({ length }: Uint8Array) => {
      n_now += 1;
      n_most = Math.max(n_most, n_now);
      await Promise.resolve();
      n_now -= 1;
      taken += length;
    },
  };
  const counts: number[] = [];
  const reading = new ModelFiles([{ name: "big.gguf", size, slice } as unknown as File], sink);
  await reading.run(never, { ...nothing, onBytes: (bytes) => counts.push(bytes) });
  expect([taken, counts.at(-1), n_most]).toEqual([size, size, 1]);
  expect(starts.at(-1)).toBeGreaterThan(2 ** 32);
});
