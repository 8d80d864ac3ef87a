// The worker: hears the page's calls, answers one at a time, and says when the device is lost in between.

import type { Call, CallResult, Progress, Request, Response } from "../shared/protocol";
import type { Calls } from "./calls";
import { Engines } from "./engines";
import { engineErrorFrom, refusedCall } from "./errors";

declare const self: DedicatedWorkerGlobalScope;

const engines = new Engines((error) => {
  calls?.forgetLoads();
  if (!callInProgress) post({ kind: "device-lost", error });
});
let calls: Calls | null = null;
let callInProgress: { cancel: () => void } | null = null;

self.onmessage = (message: MessageEvent<Request>) => {
  const request = message.data;
  switch (request.kind) {
    case "cancel":
      callInProgress?.cancel();
      return;
    case "call":
      void answer(request.id, request.call);
      return;
  }
};

async function answer(id: number, call: Call): Promise<void> {
  if (callInProgress) {
    post({ kind: "failed", id, error: refusedCall("another call is still running") });
    return;
  }
  const abort = new AbortController();
  callInProgress = { cancel: () => abort.abort() };
  const report = (progress: Progress) => post({ kind: "progress", id, progress });
  try {
    const result = await run(call, abort.signal, report);
    callInProgress = null;
    post({ kind: "done", id, result });
  } catch (reason) {
    callInProgress = null;
    post({ kind: "failed", id, error: engineErrorFrom(reason) });
  }
}

async function run(
  call: Call,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CallResult[Call["kind"]]> {
  if (call.kind === "probe") return engines.probeGpu(call.simulation);
  const { Calls } = await import("./calls");
  calls ??= new Calls(engines);
  return calls.run(call, signal, report);
}

function post(response: Response): void {
  self.postMessage(response);
}
