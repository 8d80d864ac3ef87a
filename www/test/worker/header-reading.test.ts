import { expect, test } from "vitest";
import { type HeaderSink, readFileHeaders, UrlHeaderReading } from "../../src/worker/header-reading";
import { fakeServer, type Habits, SITE } from "./fake-server";

const MB = 1 << 20;
const never = new AbortController().signal;
const REFUSED = { code: "bad-file", message: "not a GGUF file (GGUF_MAGIC)", what_to_do: "w" };
const CUT = { code: "bad-file", message: "it ends (GGUF_TRUNCATED)", what_to_do: "w" };

/** A header that is complete after so many bytes; a file that begins with `<` is none. */
class Header implements HeaderSink {
  taken = 0;
  begun: [string, number | undefined][] = [];
  constructor(readonly length: number) {}
  begin_file(name: string, len_bytes: number | undefined): void {
    this.begun.push([name, len_bytes]);
    this.taken = 0;
  }
  push(bytes: Uint8Array): boolean {
    if (this.taken === 0 && bytes[0] === 60) throw REFUSED;
    this.taken += bytes.length;
    return this.taken >= this.length;
  }
  end_file(): void {
    throw CUT;
  }
}

test("a file is read no further than its header reaches", async () => {
  const header = new Header(3 * MB);
  await readFileHeaders([new File([new Uint8Array(60 * MB)], "a.gguf")], header);
  expect([header.begun, header.taken]).toEqual([[["a.gguf", 60 * MB]], 5 * MB]);
});

test("every part has its header read; a file that ends within its header is refused", async () => {
  const header = new Header(100);
  const file = (length: number) => new File([new Uint8Array(length)], `${length}.gguf`);
  await readFileHeaders([file(200), file(300)], header);
  expect(header.begun.map(([name]) => name)).toEqual(["200.gguf", "300.gguf"]);
  await expect(readFileHeaders([file(99)], header)).rejects.toBe(CUT);
  await expect(readFileHeaders([file(0)], header)).rejects.toBe(CUT);
});

const large = new Uint8Array(7 * MB);

async function read(length: number, habits: Habits[], url = `${SITE}/m.gguf`) {
  const header = new Header(length);
  const server = fakeServer(...habits);
  const found = await new UrlHeaderReading(url, SITE, server.ask).run(header, never).catch((error) => error);
  return { header, found, ranges: server.asked.map(({ range }) => range), ...server };
}

/** What an answer says of its file. */
const told = (total: number | null, etag: string | null) => ({
  etag,
  last_modified: null,
  total,
  total_is_sure: total !== null,
});

test("an address is asked for a first piece, and for larger ones while the header goes on", async () => {
  const small = await read(15, [{}]);
  expect(small.found).toEqual({ version: told(100, '"one"'), redirected_to: null });
  expect([small.header.begun, small.header.taken]).toEqual([[["m.gguf", 100]], 20]);
  expect([small.ranges, small.n_closed()]).toEqual([[`bytes=0-${MB - 1}`], 1]);
  const long = await read(2 * MB, [{ file: large }]);
  expect(long.found.version.total).toBe(7 * MB);
  expect(long.ranges).toEqual([`bytes=0-${MB - 1}`, `bytes=${MB}-${5 * MB - 1}`]);
  expect(long.header.begun).toHaveLength(1);
});

test("a server without ranges is broken off behind the header", async () => {
  const { found, header, n_closed } = await read(15, [{ ignores_range: true, sends_length: false }]);
  expect(found).toEqual({ version: told(null, '"one"'), redirected_to: null });
  expect([header.begun, header.taken, n_closed()]).toEqual([[["m.gguf", undefined]], 20, 1]);
});

test("a host that hides its ranges is asked from the first byte again", async () => {
  const hidden = { file: large, hides_headers: true };
  const { found, ranges, header } = await read(2 * MB, [hidden], "https://example.org/m.gguf");
  expect(found).toEqual({ version: told(null, null), redirected_to: null });
  expect(ranges).toEqual([`bytes=0-${MB - 1}`, `bytes=0-${4 * MB - 1}`]);
  expect(header.begun).toHaveLength(2);
});

test("B127: a server that encodes ranges is asked for the whole, and broken off behind the header", async () => {
  const { found, header, ranges } = await read(15, [{ encodes_ranges: true, content_encoding: "gzip" }]);
  expect([found.version.total, header.taken, ranges]).toEqual([null, 20, [`bytes=0-${MB - 1}`, undefined]]);
});

test("B123: a page in place of a file is refused by its first bytes, a status by its number", async () => {
  const page = await read(15, [{ file: new TextEncoder().encode("<!doctype html>".repeat(9)) }]);
  expect([page.found, page.header.taken, page.n_closed()]).toEqual([REFUSED, 0, 1]);
  const { found } = await read(15, [{ status: 404 }]);
  expect(found).toMatchObject({ code: "download-http", message: expect.stringContaining("404") });
});

test("B124, B130, B137: what no header can be read from has its own words", async () => {
  expect((await read(15, [{ unreachable: true }])).found.code).toBe("download-network");
  expect((await read(15, [{ content_range: "bytes 5-99/100" }])).found.code).toBe("download-http");
  expect((await read(15, [{ answers_from: "http://example.org/m" }])).found.code).toBe("bad-address");
  expect((await read(200, [{}])).found).toBe(CUT);
  expect((await read(15, [{ file: new Uint8Array(0) }])).found).toBe(CUT);
  const changed = await read(2 * MB, [{ file: large }, { file: large, etag: '"two"' }]);
  expect(changed.found.code).toBe("file-changed");
});

test("B137: another host is named", async () => {
  const elsewhere = { answers_from: "https://cdn.example.net/xyz" };
  const { found } = await read(15, [elsewhere], "https://example.org/m.gguf");
  expect(found.redirected_to).toBe("cdn.example.net");
});
