import { expect, test } from "vitest";
import type { DownloadRequest, DownloadResponse } from "../../src/shared/download-protocol";
import { askThroughWorker, type DownloadWorker } from "../../src/worker/ask";

const never = new AbortController().signal;

/** A worker that answers with whatever `reply` makes of a request. */
function fakeWorker(reply: (request: DownloadRequest) => DownloadResponse | null) {
  const requests: DownloadRequest[] = [];
  const worker: DownloadWorker = {
    onmessage: null,
    onerror: null,
    postMessage: (request: DownloadRequest) => {
      requests.push(request);
      const data = reply(request);
      queueMicrotask(() => data && worker.onmessage?.call(worker as Worker, { data } as MessageEvent));
    },
  };
  return { worker, requests };
}

const HEAD = { status: 206, url: "https://example.org/m", headers: { etag: '"one"' } };

test("an answer's head and its pieces come back, and one worker makes all requests", async () => {
  let n_left = 2;
  const { worker, requests } = fakeWorker(({ kind, id }) => {
    if (kind === "ask") return { kind: "head", id, head: HEAD };
    n_left -= 1;
    return n_left >= 0 ? { kind: "piece", id, bytes: Uint8Array.from([n_left]) } : { kind: "end", id };
  });
  let n_started = 0;
  const ask = askThroughWorker(() => {
    n_started += 1;
    return worker;
  });
  const answer = await ask("https://example.org/m", { Range: "bytes=0-" }, never);
  expect(answer).toMatchObject(HEAD);
  expect([await answer.read(), await answer.read(), await answer.read()]).toEqual([
    Uint8Array.from([1]),
    Uint8Array.from([0]),
    null,
  ]);
  await ask("https://example.org/other", {}, never);
  expect(n_started).toBe(1);
  expect(requests.filter(({ kind }) => kind === "ask").map(({ id }) => id)).toEqual([1, 2]);
});

test("a failure is told, and so is a worker that cannot be loaded", async () => {
  const failing = fakeWorker(({ id }) => ({ kind: "failed", id, reason: "TypeError: Failed to fetch" }));
  await expect(askThroughWorker(() => failing.worker)("u", {}, never)).rejects.toBe(
    "TypeError: Failed to fetch",
  );
  const silent = fakeWorker(() => null);
  const asked = askThroughWorker(() => silent.worker)("u", {}, never);
  silent.worker.onerror?.call(silent.worker as Worker, {} as ErrorEvent);
  await expect(asked).rejects.toBe("its worker could not be loaded");
});

test("an aborted request is closed at once, whatever it waits for", async () => {
  const { worker, requests } = fakeWorker(() => null);
  const abort = new AbortController();
  const asked = askThroughWorker(() => worker)("u", {}, abort.signal);
  abort.abort();
  await expect(asked).rejects.toBe("it was stopped");
  expect(requests.at(-1)).toEqual({ kind: "close", id: 1 });
});
