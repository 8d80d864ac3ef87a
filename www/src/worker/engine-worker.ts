// The worker: hears the page's calls, answers one at a time, and says when the device is lost in between.

import type { Call, CallResult, Progress, Request, Response } from "../shared/protocol";
import { askThroughWorker } from "./ask";
import { Engines } from "./engines";
import { engineErrorFrom, refusedCall } from "./errors";
import { ModelChecks } from "./model-check";
import { ModelLoads } from "./model-loads";
import { ModelStore } from "./model-store";
import { Questions } from "./questions";
import { TwinChecks } from "./twin-check";

declare const self: DedicatedWorkerGlobalScope;

const engines = new Engines((error) => {
  loads.forget();
  if (!callInProgress) post({ kind: "device-lost", error });
});
const ask = askThroughWorker();
const store = new ModelStore();
const checks = new ModelChecks(engines, store, ask);
const loads = new ModelLoads(engines, store, ask);
const questions = new Questions(engines);
const twinChecks = new TwinChecks(engines, store, ask);
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

function run(
  call: Call,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CallResult[Call["kind"]]> {
  switch (call.kind) {
    case "probe":
      return engines.probeGpu(call.simulation);
    case "check-model":
      return checks.check(call.source, call, signal);
    case "check-again":
      return checks.checkAgain(call);
    case "load-model":
      engines.simulation = call.simulation;
      return loads.load(call, signal, report);
    case "configure":
      return questions.configure(call.options);
    case "compare":
      return questions.compare(call.request, signal, report);
    case "dissect":
      return questions.dissect(call, signal, report);
    case "ablate":
      return questions.ablate(call.request, signal, report);
    case "check-shapes":
      return questions.checkShapes(call.request, signal, report);
    case "check-twin":
      return twinChecks.check(call, signal, report);
    case "lesson":
      return questions.lesson(call);
    case "dot-product":
      return questions.dotProduct(call.text);
  }
}

function post(response: Response): void {
  self.postMessage(response);
}
