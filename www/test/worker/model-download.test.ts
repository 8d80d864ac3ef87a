// Rows B123 to B130 and B133 to B137 of the project's list of bad inputs, as far as no storage takes part.
import { expect, test } from "vitest";
import { ModelDownload, type Remote } from "../../src/worker/model-download";
import type { Wait } from "../../src/worker/silence";
import { FILE, fakeServer, type Habits, SITE } from "./fake-server";

const OWN: Remote = {
  url: `${SITE}/mine.gguf`,
  site_origin: SITE,
  len_bytes: null,
  needed_bytes: FILE.length,
};
const BUILT_IN: Remote = { ...OWN, len_bytes: FILE.length };
const ELSEWHERE: Remote = { ...OWN, url: "https://example.org/m.gguf" };
const never = new AbortController().signal;

const nothing = { onBytes: () => {}, onRestart: () => {}, onSilence: () => {} };

class Collector {
  bytes: number[] = [];
  begun: (number | null)[] = [];
  begin(total: number | null): void {
    this.begun.push(total);
    this.bytes = [];
  }
  async push(bytes: Uint8Array): Promise<void> {
    this.bytes.push(...bytes);
  }
}

/** A download that is tried until it ends, at most `tries` times: what arrived, and what was said on the way. */
async function downloaded(remote: Remote, habits: Habits[], tries = habits.length) {
  const sink = new Collector();
  const server = fakeServer(...habits);
  const download = new ModelDownload(remote, sink);
  const codes: string[] = [];
  const restarts: string[] = [];
  const counts: [number, number | null][] = [];
  const report = {
    onBytes: (bytes: number, total: number | null) => counts.push([bytes, total]),
    onRestart: (why: string) => restarts.push(why),
    onSilence: () => {},
  };
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const error = await download.run(server.ask, never, report).catch((reason) => reason);
    if (!error) break;
    codes.push(error.code);
  }
  const ranges = server.asked.map(({ range }) => range);
  return { ...server, sink, codes, restarts, counts, ranges };
}

const whole = [...FILE];

test("all bytes arrive once and in order, and are counted", async () => {
  const { sink, counts, ranges } = await downloaded(OWN, [{}]);
  expect(sink.bytes).toEqual(whole);
  expect(counts.map(([bytes]) => bytes)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  expect(counts.at(-1)).toEqual([100, 100]);
  expect([sink.begun, ranges]).toEqual([[100], ["bytes=0-"]]);
});

test.each([404, 403, 500])("B123: status %i is told, and the next try works", async (status) => {
  const { sink, codes } = await downloaded(OWN, [{ status }, {}]);
  expect(codes).toEqual(["download-http"]);
  expect(sink.bytes).toEqual(whole);
});

test("B124: no answer keeps the part that arrived", async () => {
  const { sink, codes, ranges } = await downloaded(OWN, [{ cut_after: 40 }, { unreachable: true }, {}]);
  expect(codes).toEqual(["download-cut", "download-network"]);
  expect(ranges).toEqual(["bytes=0-", "bytes=40-", "bytes=40-"]);
  expect([sink.bytes, sink.begun.length]).toEqual([whole, 1]);
});

test.each([
  ["with a length", {}],
  ["without one", { sends_length: false }],
])("B125: a cut answer %s goes on from the byte where it stopped", async (_, habits) => {
  const cut = { ...habits, cut_after: 40 };
  const { sink, codes, ranges, restarts } = await downloaded(OWN, [
    cut,
    { ...habits, cut_after: 30 },
    habits,
  ]);
  expect(codes).toEqual(["download-cut", "download-cut"]);
  expect(ranges).toEqual(["bytes=0-", "bytes=40-", "bytes=70-"]);
  expect([sink.bytes, sink.begun.length, restarts]).toEqual([whole, 1, []]);
});

test("B125: the version that was begun is asked for, by its ETag or its date, of the own site alone", async () => {
  const date = "Mon, 30 Nov 2026 00:00:00 GMT";
  const asked = async (remote: Remote, habits: Habits) =>
    (await downloaded(remote, [{ ...habits, cut_after: 40 }, habits])).asked.map(({ if_range }) => if_range);
  expect(await asked(OWN, {})).toEqual([undefined, '"one"']);
  expect(await asked(OWN, { etag: 'W/"weak"', last_modified: date })).toEqual([undefined, date]);
  expect(await asked(ELSEWHERE, { last_modified: date })).toEqual([undefined, undefined]);
});

test("B126: an answer that ends early without an error is a cut one", async () => {
  const early = { cut_after: 40, ends_cleanly: true, sends_length: false };
  const { sink, codes } = await downloaded(OWN, [{ ...early, ignores_range: true }, {}]);
  expect(codes).toEqual(["download-cut"]);
  expect(sink.bytes).toEqual(whole);
});

test("B127: the length of an encoded answer is not that of the file", async () => {
  const encoded = { ignores_range: true, content_length: "7", content_encoding: "gzip" };
  const { sink, codes, counts } = await downloaded(OWN, [encoded]);
  expect([sink.bytes, sink.begun, codes]).toEqual([whole, [null], []]);
  expect(counts.at(-1)).toEqual([100, null]);
});

test("B127: a server that encodes ranges is asked for the whole", async () => {
  const { sink, ranges } = await downloaded(OWN, [{ encodes_ranges: true, content_encoding: "gzip" }]);
  expect([sink.bytes, ranges]).toEqual([whole, ["bytes=0-", undefined]]);
});

test("B127: a bare Content-Length is shown but not relied upon", async () => {
  const { sink, codes } = await downloaded(OWN, [{ ignores_range: true, content_length: "70" }]);
  expect([sink.bytes, sink.begun, codes]).toEqual([whole, [null], []]);
});

test("B128: a server that sends the whole file again is taken from 0, and that is said", async () => {
  const { sink, restarts } = await downloaded(OWN, [{ cut_after: 40 }, { ignores_range: true }]);
  expect([sink.bytes, sink.begun.length, restarts]).toEqual([whole, 2, ["whole-file"]]);
});

const OTHER = FILE.map((byte) => byte + 100);

test("B129: a file that changed is never stitched to the part of the old one", async () => {
  const changed = { file: OTHER, etag: '"two"' };
  const { sink, restarts } = await downloaded(OWN, [{ cut_after: 40 }, changed]);
  expect([sink.bytes, restarts]).toEqual([[...OTHER], ["file-changed"]]);
});

test.each([
  ["its ETag", { etag: '"two"' }],
  ["its date", { etag: null, last_modified: "Tue, 01 Dec 2026 00:00:00 GMT" }],
  ["its length", { file: Uint8Array.from([...OTHER, 1]) }],
])("B129: another host that ignores the version gives itself away by %s", async (_, habits) => {
  const dated = { last_modified: "Mon, 30 Nov 2026 00:00:00 GMT" };
  const other = { file: OTHER, ...dated, ...habits };
  const { sink, restarts, ranges } = await downloaded(ELSEWHERE, [{ ...dated, cut_after: 40 }, other, other]);
  expect([sink.bytes, restarts]).toEqual([[...other.file], ["file-changed"]]);
  expect(ranges).toEqual(["bytes=0-", "bytes=40-", "bytes=0-"]);
});

test("B129: a part of an unknown version is not continued, unless its hash is known", async () => {
  const nameless = { etag: null };
  const own = await downloaded(OWN, [{ ...nameless, cut_after: 40 }, nameless]);
  expect([own.sink.bytes, own.restarts, own.ranges[1]]).toEqual([whole, ["nothing-to-go-by"], "bytes=0-"]);
  const builtIn = await downloaded(BUILT_IN, [{ ...nameless, cut_after: 40 }, nameless]);
  expect([builtIn.sink.bytes, builtIn.restarts, builtIn.ranges[1]]).toEqual([whole, [], "bytes=40-"]);
});

test("B130: another range than was asked for is thrown away, and asked for once more from 0", async () => {
  const wrong = { content_range: "bytes 50-99/100" };
  const once = await downloaded(OWN, [{ cut_after: 40 }, wrong, {}], 2);
  expect([once.sink.bytes, once.restarts, once.codes]).toEqual([
    whole,
    ["nothing-to-go-by"],
    ["download-cut"],
  ]);
  const always = await downloaded(OWN, [wrong], 1);
  expect([always.sink.bytes, always.codes]).toEqual([[], ["download-http"]]);
});

test("B130: nothing behind what has arrived means that it is whole, where the server says that of this version", async () => {
  const unsure = { ignores_range: true, cut_after: 100 };
  const { sink, restarts, ranges } = await downloaded({ ...OWN, needed_bytes: null }, [unsure, {}]);
  expect([sink.bytes, restarts, ranges]).toEqual([whole, [], ["bytes=0-", "bytes=100-"]]);
  const other = await downloaded({ ...OWN, needed_bytes: null }, [unsure, { etag: '"two"' }]);
  expect([other.sink.bytes, other.restarts]).toEqual([whole, ["file-changed"]]);
});

test("B130: a range behind the end means that the file is another one", async () => {
  const shorter = { file: FILE.slice(0, 30), etag: '"two"' };
  const remote = { ...ELSEWHERE, needed_bytes: null };
  const { sink, restarts } = await downloaded(remote, [{ cut_after: 40 }, shorter, shorter], 2);
  expect([sink.bytes, restarts]).toEqual([[...FILE.slice(0, 30)], ["file-changed"]]);
});

test("B130: a host that hides its ranges is believed from the first byte on, and never in between", async () => {
  const hidden = { hides_headers: true, last_modified: "Mon, 30 Nov 2026 00:00:00 GMT" };
  const { sink, restarts } = await downloaded(ELSEWHERE, [{ ...hidden, cut_after: 40 }, hidden, hidden], 2);
  expect([sink.bytes, restarts]).toEqual([whole, ["nothing-to-go-by"]]);
});

/** A server that gives each body piece by piece and then goes silent; the clock runs only in its silence. */
function silent(pieces: number[]) {
  const server = fakeServer({});
  const pauses: number[] = [];
  let isStuck = false;
  const ask: typeof server.ask = async (...call) => {
    const answer = await server.ask(...call);
    let left = pieces.shift() ?? Number.POSITIVE_INFINITY;
    isStuck = false;
    const read = () => {
      left -= 1;
      isStuck = left < 0;
      return isStuck ? new Promise<never>(() => {}) : answer.read();
    };
    return { ...answer, read };
  };
  const wait: Wait = async (ms, signal) => {
    if (ms < 30_000) pauses.push(ms);
    while (ms === 30_000 && !isStuck && !signal.aborted) await new Promise((resolve) => setTimeout(resolve));
  };
  const sink = new Collector();
  const run = (signal = never, onSilence = (_: number) => {}) =>
    new ModelDownload(OWN, sink, null, wait).run(ask, signal, { ...nothing, onSilence });
  return { ...server, sink, pauses, run };
}

test("B135: a server that goes silent is asked for the rest, with growing pauses", async () => {
  const { asked, sink, pauses, run } = silent([4, 0, 0]);
  await run();
  const ranges = asked.map(({ range }) => range);
  expect([sink.bytes, ranges]).toEqual([whole, ["bytes=0-", "bytes=40-", "bytes=40-", "bytes=40-"]]);
  expect(pauses).toEqual([1000, 2000, 4000]);
});

test("B135: after six silent tries in a row it is a cut, which can be continued", async () => {
  const { asked, n_closed, run } = silent([4, 0, 0, 0, 0, 0, 0, 0]);
  await expect(run()).rejects.toMatchObject({ code: "download-cut" });
  expect([asked.length, n_closed()]).toEqual([7, 7]);
});

test("B135: a slow server that still sends is left in peace, and a cancel ends a pause", async () => {
  const slow = silent([]);
  await slow.run();
  expect([slow.asked.length, slow.pauses]).toEqual([1, []]);
  const abort = new AbortController();
  const stuck = silent([2]);
  const stopped = stuck.run(abort.signal, () => abort.abort());
  await expect(stopped).rejects.toMatchObject({ code: "download-cancelled" });
  expect(stuck.asked.length).toBe(1);
});

test("B135: a server that never answers at all is asked again as well", async () => {
  const server = fakeServer({});
  let n_asked = 0;
  const ask: typeof server.ask = (url, headers, signal) => {
    n_asked += 1;
    return n_asked === 1 ? new Promise(() => {}) : server.ask(url, headers, signal);
  };
  const wait: Wait = async (ms, signal) => {
    while (ms === 30_000 && n_asked > 1 && !signal.aborted)
      await new Promise((resolve) => setTimeout(resolve));
  };
  const sink = new Collector();
  await new ModelDownload(OWN, sink, null, wait).run(ask, never, nothing);
  expect([sink.bytes, n_asked]).toEqual([whole, 2]);
});

test("B136: more bytes than the file has are refused", async () => {
  const longer = { file: Uint8Array.from([...FILE, 1]) };
  const announced = await downloaded(BUILT_IN, [longer]);
  expect([announced.codes, announced.sink.bytes]).toEqual([["bad-file"], []]);
  const untold = await downloaded(BUILT_IN, [{ ...longer, ignores_range: true, sends_length: false }]);
  expect([untold.codes, untold.sink.bytes]).toEqual([["bad-file"], whole]);
});

test("B136: an answer without end is broken off behind the model", async () => {
  const server = fakeServer({ ignores_range: true, sends_length: false });
  const endless: typeof server.ask = async (...call) => ({
    ...(await server.ask(...call)),
    read: async () => new Uint8Array(16 << 20),
  });
  let taken = 0;
  const push = async ({ length }: Uint8Array) => {
    taken += length;
  };
  const sink = { begin: () => {}, push };
  const download = new ModelDownload({ ...OWN, needed_bytes: 1 << 20 }, sink);
  await expect(download.run(endless, never, nothing)).rejects.toMatchObject({ code: "bad-file" });
  expect(taken).toBeLessThan(80 << 20);
  expect(server.n_closed()).toBe(1);
});

test("B137: a redirect to http is refused", async () => {
  const { codes, sink } = await downloaded(ELSEWHERE, [{ answers_from: "http://example.org/m.gguf" }]);
  expect([codes, sink.begun]).toEqual([["bad-address"], []]);
});

test("B133: a cancelled download can be continued", async () => {
  const sink = new Collector();
  const { ask } = fakeServer({});
  const download = new ModelDownload(OWN, sink);
  const abort = new AbortController();
  const onBytes = (bytes: number) => bytes === 20 && abort.abort();
  const cancelled = download.run(ask, abort.signal, { ...nothing, onBytes });
  await expect(cancelled).rejects.toMatchObject({ code: "download-cancelled" });
  await download.run(ask, never, nothing);
  expect(sink.bytes).toEqual(whole);
});

test("an error of the engine passes through unchanged, and the answer is closed", async () => {
  const { ask, n_closed } = fakeServer({});
  const outOfMemory = { code: "out-of-memory", message: "m", what_to_do: "w" };
  const sink = { begin: () => {}, push: () => Promise.reject(outOfMemory) };
  const failure = new ModelDownload(OWN, sink).run(ask, never, nothing);
  await expect(failure).rejects.toBe(outOfMemory);
  expect(n_closed()).toBe(1);
});
