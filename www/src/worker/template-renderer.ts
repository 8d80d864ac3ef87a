// Renders the templates of strangers: each request in a worker of its own, which is ended after it.
import type { TemplateFailure } from "../shared/engine-records";
import { trustedWorkerUrl } from "../shared/trusted-worker-url";
import workerUrl from "./template-worker.ts?worker&url";

/** What the worker says. */
export type TemplateMessage =
  | { kind: "ready" }
  | { kind: "rendered"; reply: string }
  | { kind: "crashed"; how: string };

/** How long rendering may take, without the start of the worker. */
const DEADLINE_MS = 1000;
/** How long the worker may take to start, on a machine that is busy. */
const MOST_TO_START_MS = 60_000;

/** The part of a Worker that is used, so that a test can put another in its place. */
export type TemplateWorker = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

function startWorker(): TemplateWorker {
  return new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
}

/** A request as JSON to its reply as JSON. Rejects with a TemplateFailure. */
export function renderTemplate(
  request: string,
  start = startWorker,
  deadlineMs = DEADLINE_MS,
): Promise<string> {
  const worker = start();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reply = new Promise<string>((resolve, reject: (failure: TemplateFailure) => void) => {
    const crashed = (how: string) => reject({ kind: "crashed", how });
    timer = setTimeout(() => crashed("its worker does not start"), MOST_TO_START_MS);
    // A script that cannot be loaded gives an event without words.
    worker.onerror = (event: Partial<ErrorEvent>) =>
      crashed(event.message || "its worker could not be loaded");
    worker.onmessage = ({ data }: MessageEvent<TemplateMessage>) => {
      switch (data.kind) {
        case "ready":
          clearTimeout(timer);
          timer = setTimeout(() => reject({ kind: "timed-out", limit_ms: deadlineMs }), deadlineMs);
          worker.postMessage(request);
          return;
        case "rendered":
          resolve(data.reply);
          return;
        case "crashed":
          crashed(`it took too much memory or too deep a stack (${data.how})`);
          return;
      }
    };
  });
  return reply.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
