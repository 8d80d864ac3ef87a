// The only worker whose policy lets it reach other hosts (server.mjs). It fetches what it is asked for and knows
// nothing else: what may be fetched, and what the bytes are good for, is decided elsewhere.
import type { DownloadRequest, DownloadResponse } from "../shared/download-protocol";

declare const self: DedicatedWorkerGlobalScope;

interface Running {
  abort: AbortController;
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null;
}

/** What the answers say that downloads go by. */
const HEADERS = ["content-length", "content-range", "content-encoding", "etag", "last-modified"];

const running = new Map<number, Running>();

self.onmessage = ({ data: request }: MessageEvent<DownloadRequest>) => {
  switch (request.kind) {
    case "ask":
      void ask(request.id, request.url, request.headers);
      return;
    case "read":
      void read(request.id);
      return;
    case "close":
      running.get(request.id)?.abort.abort();
      running.delete(request.id);
      return;
  }
};

async function ask(id: number, url: string, headers: Record<string, string>): Promise<void> {
  const download: Running = { abort: new AbortController(), reader: null };
  running.set(id, download);
  try {
    // Without the visitor's cookies, and past the browser's cache: a file's parts must be of one version.
    const answer = await fetch(url, {
      headers,
      signal: download.abort.signal,
      credentials: "omit",
      cache: "no-store",
    });
    download.reader = answer.body?.getReader() ?? null;
    const told = HEADERS.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const head = { status: answer.status, url: answer.url, headers: Object.fromEntries(told) };
    post({ kind: "head", id, head });
  } catch (reason) {
    fail(id, reason);
  }
}

async function read(id: number): Promise<void> {
  const reader = running.get(id)?.reader;
  if (!reader) return post({ kind: "end", id });
  try {
    const { done, value } = await reader.read();
    if (done) post({ kind: "end", id });
    else post({ kind: "piece", id, bytes: value }, [value.buffer]);
  } catch (reason) {
    fail(id, reason);
  }
}

function fail(id: number, reason: unknown): void {
  running.delete(id);
  post({ kind: "failed", id, reason: String(reason) });
}

function post(response: DownloadResponse, transfer: Transferable[] = []): void {
  self.postMessage(response, transfer);
}
