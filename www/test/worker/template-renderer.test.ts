import { expect, test, vi } from "vitest";
import {
  renderTemplate,
  type TemplateMessage,
  type TemplateWorker,
} from "../../src/worker/template-renderer";

/** A worker that answers a request with `answer`, or never. */
function fakeWorker(answer: TemplateMessage | null) {
  const worker: TemplateWorker = {
    onmessage: null,
    onerror: null,
    postMessage: vi.fn(() => {
      if (answer) say(answer);
    }),
    terminate: vi.fn(),
  };
  const say = (data: TemplateMessage) => worker.onmessage?.call(worker as Worker, { data } as MessageEvent);
  queueMicrotask(() => say({ kind: "ready" }));
  return worker;
}

test("the reply comes back and the worker is ended", async () => {
  const worker = fakeWorker({ kind: "rendered", reply: "[]" });
  expect(await renderTemplate("{}", () => worker)).toBe("[]");
  expect(worker.postMessage).toHaveBeenCalledWith("{}");
  expect(worker.terminate).toHaveBeenCalledOnce();
});

test("a template that breaks its instance is told as that", async () => {
  const worker = fakeWorker({ kind: "crashed", how: "RuntimeError: unreachable" });
  const failure = await renderTemplate("{}", () => worker).catch((reason) => reason);
  expect(failure).toMatchObject({ kind: "crashed" });
  expect(failure.how).toContain("RuntimeError: unreachable");
  expect(worker.terminate).toHaveBeenCalledOnce();
});

test("a template without end is ended", async () => {
  const worker = fakeWorker(null);
  const failure = await renderTemplate("{}", () => worker, 20).catch((reason) => reason);
  expect(failure).toEqual({ kind: "timed-out", limit_ms: 20 });
  expect(worker.terminate).toHaveBeenCalledOnce();
});

test("a worker that cannot be loaded is told as that", async () => {
  const worker = fakeWorker(null);
  const reply = renderTemplate("{}", () => worker);
  worker.onerror?.call(worker as Worker, new Event("error") as ErrorEvent);
  await expect(reply).rejects.toMatchObject({ kind: "crashed", how: "its worker could not be loaded" });
});
