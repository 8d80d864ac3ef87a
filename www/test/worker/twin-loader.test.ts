import type { ModelHeader } from "lastbit-engine";
import { expect, test } from "vitest";
import type { EngineError, LoadOptions, ModelReport } from "../../src/shared/engine-records";
import { messagesAreHeard, TwinLoader } from "../../src/worker/twin-loader";

const REPORT = { name: "a model" } as ModelReport;
const OPTIONS: LoadOptions = {
  expected_sha256: "hash",
  formats: "float",
  order: "invariant",
  load_anyway: false,
};

const NEVER = new Promise<EngineError>(() => {});

test("the twin gets the whole file, in order, and the report names no device", async () => {
  const files: number[][] = [];
  const parts = {} as ModelHeader;
  const loader = new TwinLoader((file, header, options) => {
    expect([header, options]).toEqual([parts, OPTIONS]);
    files.push([...file]);
    return REPORT;
  });
  // What a first try left is gone when the download begins anew.
  loader.begin(5);
  await loader.push(new Uint8Array([9, 9, 9]));
  loader.begin(5, parts);
  await loader.push(new Uint8Array([1, 2, 3]));
  await loader.push(new Uint8Array([4, 5]));
  expect(await loader.finish(OPTIONS, NEVER)).toEqual({
    processor: { kind: "cpu-twin" },
    model: REPORT,
  });
  expect(files).toEqual([[1, 2, 3, 4, 5]]);
});

test("a file of unknown length gets as much room as it needs", async () => {
  const lengths: number[] = [];
  const loader = new TwinLoader((file) => {
    lengths.push(file.length, file[3_000_000] ?? -1);
    return REPORT;
  });
  loader.begin(null);
  for (const value of [1, 2, 3, 4]) await loader.push(new Uint8Array(900_000).fill(value));
  await loader.finish(OPTIONS, NEVER);
  expect(lengths).toEqual([3_600_000, 4]);
});

test("a file that no browser has room for is refused in words", () => {
  const loader = new TwinLoader(() => REPORT);
  expect(() => loader.begin(2 ** 53)).toThrow(expect.objectContaining({ code: "out-of-memory" }));
});

test("B133: a stop while all bytes are here makes no twin, and gives its reason", async () => {
  const stopped = { code: "download-cancelled", message: "m", what_to_do: "w" };
  let n_started = 0;
  const loader = new TwinLoader(() => {
    n_started += 1;
    return REPORT;
  });
  loader.begin(1);
  await expect(loader.finish(OPTIONS, Promise.resolve(stopped))).rejects.toBe(stopped);
  expect(n_started).toBe(0);
});

test("what the twin refuses is passed on", async () => {
  const refusal = { code: "hash-mismatch", message: "m", what_to_do: "w" };
  const loader = new TwinLoader(() => {
    throw refusal;
  });
  loader.begin(1);
  await expect(loader.finish(OPTIONS, NEVER)).rejects.toBe(refusal);
});

test("a message that is waiting is heard in a pause", async () => {
  const { port1, port2 } = new MessageChannel();
  const heard: string[] = [];
  port2.onmessage = ({ data }) => heard.push(data);
  port1.postMessage("stop");
  // As between layers that take no time: without a pause in which messages are heard this would never end by itself.
  const startedAt = performance.now();
  while (heard.length === 0 && performance.now() - startedAt < 3000) await messagesAreHeard();
  port1.close();
  expect(heard).toEqual(["stop"]);
});
