// Requests of this worker, made by the worker that downloads.
import type { AnswerHead, DownloadRequest, DownloadResponse } from "../shared/download-protocol";
import { trustedWorkerUrl } from "../shared/trusted-worker-url";
import workerUrl from "./download-worker.ts?worker&url";

/** An answer whose body is read piece by piece. */
export interface Answer extends AnswerHead {
  /** The next piece; null at the end. Rejects with a text where the connection broke. */
  read(): Promise<Uint8Array | null>;
  close(): void;
}

/** Rejects with a text where there is no answer. */
export type Ask = (url: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Answer>;

/**
 * Asks for the first bytes. Where that fails, for all of them without a range: browsers give no answer from a server that encodes a
 * range, and some ask such a server for permission first.
 */
export async function askFromStart(
  ask: Ask,
  url: string,
  range: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    return await ask(url, { Range: range }, signal);
  } catch (reason) {
    if (signal.aborted) throw reason;
    return ask(url, {}, signal);
  }
}

/** The part of a Worker that is used, so that a test can put another in its place. */
export type DownloadWorker = Pick<Worker, "postMessage" | "onmessage" | "onerror">;

interface Waiting {
  resolve(response: DownloadResponse): void;
  reject(reason: string): void;
}

function startWorker(): DownloadWorker {
  return new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
}

/** One worker for all requests, started with the first. */
export function askThroughWorker(start = startWorker): Ask {
  let worker: DownloadWorker | null = null;
  let nextId = 1;
  const waiting = new Map<number, Waiting>();

  const post = (request: DownloadRequest) => worker?.postMessage(request);
  const next = (request: DownloadRequest) =>
    new Promise<DownloadResponse>((resolve, reject) => {
      waiting.set(request.id, { resolve, reject });
      post(request);
    });
  const started = () => {
    const fresh = start();
    fresh.onmessage = ({ data }: MessageEvent<DownloadResponse>) => {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.kind === "failed") asked?.reject(data.reason);
      else asked?.resolve(data);
    };
    fresh.onerror = (event: Partial<ErrorEvent>) => {
      for (const { reject } of waiting.values()) reject(event.message || "its worker could not be loaded");
      waiting.clear();
      worker = null;
    };
    return fresh;
  };

  return async (url, headers, signal) => {
    worker ??= started();
    const id = nextId++;
    const close = () => {
      post({ kind: "close", id });
      waiting.get(id)?.reject("it was stopped");
      waiting.delete(id);
    };
    signal.addEventListener("abort", close);
    signal.throwIfAborted();
    const answered = await next({ kind: "ask", id, url, headers });
    if (answered.kind !== "head") throw "its worker gave no head";
    const read = async () => {
      const piece = await next({ kind: "read", id });
      return piece.kind === "piece" ? piece.bytes : null;
    };
    return { ...answered.head, read, close };
  };
}
