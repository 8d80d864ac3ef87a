// The device held against the CPU twin: the model's file once more, a twin of it for as long as the check takes, and both runs.
import type { TwinEngine } from "lastbit-engine";
import type { Call, CallResult, Progress } from "../shared/protocol";
import type { Ask } from "./ask";
import type { Engines } from "./engines";
import { newTransfers, stopReason } from "./model-loads";
import type { ModelStore } from "./model-store";
import { TwinLoader } from "./twin-loader";

const NOT_TOLD = { onPart() {}, onBytes() {}, onRestart() {}, onStorage() {}, onSilence() {} };

export class TwinChecks {
  readonly #engines: Engines;
  readonly #store: ModelStore;
  readonly #ask: Ask;

  constructor(engines: Engines, store: ModelStore, ask: Ask) {
    this.#engines = engines;
    this.#store = store;
    this.#ask = ask;
  }

  async check(
    call: Extract<Call, { kind: "check-twin" }>,
    signal: AbortSignal,
    report: (progress: Progress) => void,
  ): Promise<CallResult["check-twin"]> {
    const running = this.#engines.runningOnGpu();
    const cancel = await this.#engines.stopSign(signal);
    const twin = await this.#engines.untilLost(this.#twinOf(call, signal));
    try {
      const checking = running.check_twin(twin, call.request, cancel, (event) =>
        report({ kind: "check-twin", event }),
      );
      return await this.#engines.untilLost(checking);
    } finally {
      twin.free();
    }
  }

  async #twinOf(
    { source, needed_bytes, options, load_anyway }: Extract<Call, { kind: "check-twin" }>,
    signal: AbortSignal,
  ): Promise<TwinEngine> {
    const twinOf = await this.#engines.twinMaker();
    let twin: TwinEngine | null = null;
    const loader = new TwinLoader((...of) => {
      twin = twinOf(...of);
      return twin.configure(options);
    });
    const transfers = await newTransfers(this.#engines, this.#store, this.#ask);
    const { expected_sha256 } = await transfers.run(source, needed_bytes, loader, signal, NOT_TOLD);
    const { formats, order } = options;
    await loader.finish({ expected_sha256, formats, order, load_anyway }, stopReason(signal));
    if (twin === null) throw new Error("a loader that finished has made its twin");
    return twin;
  }
}
