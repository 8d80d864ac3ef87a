import { expect, test } from "vitest";
import { ModelDownload } from "../../src/worker/model-download";

const FILE = Uint8Array.from({ length: 100 }, (_, index) => index);
const SOURCE = { title: "m", file_name: "m.gguf", url: "/models/m.gguf", len_bytes: FILE.length, sha256: "" };

class Collector {
  bytes: number[] = [];
  n_begun = 0;
  begin(): void {
    this.n_begun += 1;
    this.bytes = [];
  }
  async push(bytes: Uint8Array): Promise<void> {
    this.bytes.push(...bytes);
  }
}

interface Served {
  ranges: (string | null)[];
  fetchFile: typeof fetch;
}

/** Serves FILE in chunks of 10; the n-th answer breaks off after `cuts[n]` bytes. */
function server(cuts: (number | null)[], { ignoresRange = false, status = 200 } = {}): Served {
  const ranges: (string | null)[] = [];
  const fetchFile = async (_: unknown, init?: RequestInit) => {
    const range = new Headers(init?.headers).get("range");
    const cut = cuts[ranges.length] ?? null;
    ranges.push(range);
    if (status !== 200) return new Response(null, { status });
    const start = range && !ignoresRange ? Number(/bytes=(\d+)-/.exec(range)?.[1]) : 0;
    let at = start;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        init?.signal?.throwIfAborted();
        if (cut !== null && at - start >= cut) return controller.error(new TypeError("network error"));
        if (at >= FILE.length) return controller.close();
        controller.enqueue(FILE.slice(at, at + 10));
        at += 10;
      },
    });
    const headers = { "content-length": String(FILE.length - start) };
    return new Response(body, { status: start > 0 ? 206 : 200, headers });
  };
  return { ranges, fetchFile: fetchFile as typeof fetch };
}

const never = new AbortController().signal;

test("all bytes arrive once and in order, and are counted", async () => {
  const sink = new Collector();
  const counts: number[] = [];
  await new ModelDownload(SOURCE, sink).run(server([]).fetchFile, never, (bytes) => counts.push(bytes));
  expect(sink.bytes).toEqual([...FILE]);
  expect(counts).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test("a cut download goes on from the byte where it stopped", async () => {
  const sink = new Collector();
  const served = server([40, 30, null]);
  const download = new ModelDownload(SOURCE, sink);
  for (const at of [40, 70]) {
    const failure = download.run(served.fetchFile, never, () => {});
    await expect(failure).rejects.toMatchObject({
      code: "download-cut",
      message: expect.stringContaining(`after ${at} of 100 bytes`),
    });
  }
  await download.run(served.fetchFile, never, () => {});
  expect(served.ranges).toEqual([null, "bytes=40-", "bytes=70-"]);
  expect(sink.bytes).toEqual([...FILE]);
  expect(sink.n_begun).toBe(1);
});

test("a server without ranges starts the file again", async () => {
  const sink = new Collector();
  const served = server([40, null], { ignoresRange: true });
  const download = new ModelDownload(SOURCE, sink);
  await expect(download.run(served.fetchFile, never, () => {})).rejects.toMatchObject({
    code: "download-cut",
  });
  await download.run(served.fetchFile, never, () => {});
  expect(sink.bytes).toEqual([...FILE]);
  expect(sink.n_begun).toBe(2);
});

test("a cancelled download can be continued", async () => {
  const sink = new Collector();
  const served = server([]);
  const download = new ModelDownload(SOURCE, sink);
  const abort = new AbortController();
  const cancelled = download.run(served.fetchFile, abort.signal, (bytes) => {
    if (bytes === 20) abort.abort();
  });
  await expect(cancelled).rejects.toMatchObject({ code: "download-cancelled" });
  await download.run(served.fetchFile, never, () => {});
  expect(sink.bytes).toEqual([...FILE]);
});

test("a missing file and a wrong length have their own words", async () => {
  const missing = new ModelDownload(SOURCE, new Collector()).run(
    server([], { status: 404 }).fetchFile,
    never,
    () => {},
  );
  await expect(missing).rejects.toMatchObject({
    code: "download-failed",
    message: expect.stringContaining("status 404"),
  });
  const source = { ...SOURCE, len_bytes: 99 };
  const longer = new ModelDownload(source, new Collector()).run(server([]).fetchFile, never, () => {});
  await expect(longer).rejects.toMatchObject({ code: "bad-file" });
});

test("an error of the engine passes through unchanged", async () => {
  const sink = new Collector();
  const outOfMemory = { code: "out-of-memory", message: "m", what_to_do: "w" };
  sink.push = () => Promise.reject(outOfMemory);
  const failure = new ModelDownload(SOURCE, sink).run(server([]).fetchFile, never, () => {});
  await expect(failure).rejects.toBe(outOfMemory);
});

test("bytes that the engine refused are not continued: the next try begins the file anew", async () => {
  const sink = new Collector();
  const served = server([]);
  const download = new ModelDownload(SOURCE, sink);
  const badFile = { code: "bad-file", message: "m", what_to_do: "w" };
  const { push } = sink;
  sink.push = async (bytes) => {
    if (bytes[0] === 60) throw badFile;
    await push.call(sink, bytes);
  };
  await expect(download.run(served.fetchFile, never, () => {})).rejects.toBe(badFile);
  sink.push = push;
  await download.run(served.fetchFile, never, () => {});
  expect(served.ranges).toEqual([null, null]);
  expect(sink.n_begun).toBe(2);
  expect(sink.bytes).toEqual([...FILE]);
});
