// Everything that the engine worker answers but the first question, which GPU is there: fetched when something more is asked.
import type { Call, CallResult, Progress } from "../shared/protocol";
import { askThroughWorker } from "./ask";
import type { Engines } from "./engines";
import { ModelChecks } from "./model-check";
import { ModelLoads } from "./model-loads";
import { ModelStore } from "./model-store";
import { Questions } from "./questions";
import { TwinChecks } from "./twin-check";

export class Calls {
  readonly #engines: Engines;
  readonly #checks: ModelChecks;
  readonly #loads: ModelLoads;
  readonly #questions: Questions;
  readonly #twinChecks: TwinChecks;

  constructor(engines: Engines) {
    const ask = askThroughWorker();
    const store = new ModelStore();
    this.#engines = engines;
    this.#checks = new ModelChecks(engines, store, ask);
    this.#loads = new ModelLoads(engines, store, ask);
    this.#questions = new Questions(engines);
    this.#twinChecks = new TwinChecks(engines, store, ask);
  }

  /** The device is lost: what had come of a model goes with it. */
  forgetLoads(): void {
    this.#loads.forget();
  }

  run(
    call: Exclude<Call, { kind: "probe" }>,
    signal: AbortSignal,
    report: (progress: Progress) => void,
  ): Promise<CallResult[Call["kind"]]> {
    switch (call.kind) {
      case "check-model":
        return this.#checks.check(call.source, call, signal);
      case "check-again":
        return this.#checks.checkAgain(call);
      case "load-model":
        this.#engines.simulation = call.simulation;
        return this.#loads.load(call, signal, report);
      case "configure":
        return this.#questions.configure(call.options);
      case "compare":
        return this.#questions.compare(call.request, signal, report);
      case "dissect":
        return this.#questions.dissect(call, signal, report);
      case "ablate":
        return this.#questions.ablate(call.request, signal, report);
      case "try-orders":
        return this.#questions.tryOrders(call.request, signal);
      case "check-shapes":
        return this.#questions.checkShapes(call.request, signal, report);
      case "judge-noise":
        return this.#questions.judgeNoise(call.request, signal, report);
      case "check-twin":
        return this.#twinChecks.check(call, signal, report);
      case "lesson":
        return this.#questions.lesson(call);
      case "dot-product":
        return this.#questions.dotProduct(call.text);
    }
  }
}
