// What the engine is asked once it runs: a comparison, where it forks, which order makes it fork, and the lesson's sums.
import type {
  CompareRequest,
  ConfigureOptions,
  DotProduct,
  LessonAnswer,
  ModelReport,
  OrdersRequest,
} from "../shared/engine-records";
import type { Call, CallResult, Progress } from "../shared/protocol";
import type { Engines } from "./engines";
import { whyBrokenOff } from "./errors";

/** With ?gpu=lost the device is destroyed, and with ?engine=crash the engine breaks down, at this token event of a comparison. */
const SIMULATED_FAILURE_AT_TOKEN = 8;

type Report = (progress: Progress) => void;

export class Questions {
  readonly #engines: Engines;

  constructor(engines: Engines) {
    this.#engines = engines;
  }

  async configure(options: ConfigureOptions): Promise<ModelReport> {
    return this.#engines.untilLost(this.#engines.running().configure(options));
  }

  async compare(
    request: CompareRequest,
    signal: AbortSignal,
    report: Report,
  ): Promise<CallResult["compare"]> {
    const running = this.#engines.running();
    const cancel = await this.#engines.stopSign(signal);
    let tokens = 0;
    const comparison = await this.#engines.untilLost(
      running.compare(request, cancel, (event) => {
        report({ kind: "compare", event });
        if (event.kind === "token" && ++tokens === SIMULATED_FAILURE_AT_TOKEN)
          this.#engines.failIfSimulated();
      }),
    );
    // The page has the partial runs from the events; one way for every failure.
    if (comparison.verdict === "error") throw whyBrokenOff(comparison.error, this.#engines.lossSoFar);
    return comparison;
  }

  async dissect(
    { request, beyond_fork }: Extract<Call, { kind: "dissect" }>,
    signal: AbortSignal,
    report: Report,
  ): Promise<CallResult["dissect"]> {
    const running = this.#engines.runningOnGpu();
    const cancel = await this.#engines.stopSign(signal);
    const found = await this.#engines.untilLost(
      running.dissect(request, beyond_fork, cancel, (event) => report({ kind: "dissect", event })),
    );
    if (found.error && found.steps.length === 0) throw whyBrokenOff(found.error, this.#engines.lossSoFar);
    return found;
  }

  async ablate(request: CompareRequest, signal: AbortSignal, report: Report): Promise<CallResult["ablate"]> {
    const running = this.#engines.runningOnGpu();
    const cancel = await this.#engines.stopSign(signal);
    return this.#engines.untilLost(
      running.ablate(request, cancel, (event) => report({ kind: "ablate", event })),
    );
  }

  async tryOrders(request: OrdersRequest, signal: AbortSignal): Promise<CallResult["try-orders"]> {
    const running = this.#engines.runningOnGpu();
    const cancel = await this.#engines.stopSign(signal);
    return this.#engines.untilLost(running.try_orders(request, cancel));
  }

  async checkShapes(
    request: CompareRequest,
    signal: AbortSignal,
    report: Report,
  ): Promise<CallResult["check-shapes"]> {
    const running = this.#engines.runningOnGpu();
    const cancel = await this.#engines.stopSign(signal);
    return this.#engines.untilLost(
      running.check_shapes(request, cancel, (event) => report({ kind: "check-shapes", event })),
    );
  }

  async judgeNoise(
    request: CompareRequest,
    signal: AbortSignal,
    report: Report,
  ): Promise<CallResult["judge-noise"]> {
    const running = this.#engines.runningOnGpu();
    const cancel = await this.#engines.stopSign(signal);
    return this.#engines.untilLost(
      running.judge_noise(request, cancel, (event) => report({ kind: "judge-noise", event })),
    );
  }

  async lesson({ on, request }: Extract<Call, { kind: "lesson" }>): Promise<LessonAnswer> {
    if (on === "gpu") return this.#engines.untilLost((await this.#engines.onGpu()).lesson(request));
    const { lessonOnTwin } = await this.#engines.module();
    return lessonOnTwin(request);
  }

  async dotProduct(text: string): Promise<DotProduct> {
    return this.#engines.untilLost(this.#engines.running().dot_product({ text }));
  }
}
