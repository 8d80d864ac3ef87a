// What the last step runs, on whatever computes. Pure.
import type { Order } from "../../shared/engine-records";
import { LESSON_MESSAGE } from "../prompts";
import type { AdapterState, ComparisonInputs } from "../session-state";

/** Few enough for a lesson on each. */
const TOKENS = { gpu: 64, software_gpu: 16, cpu_twin: 12 } as const;

export function inputsFor(adapter: AdapterState, order: Order): ComparisonInputs {
  const processor = adapter.kind !== "found" ? "cpu_twin" : adapter.probe.software ? "software_gpu" : "gpu";
  return {
    request: {
      prompt: { kind: "chat", user: LESSON_MESSAGE },
      scenario: { kind: "same-prompt" },
      before: [],
      max_tokens: TOKENS[processor],
    },
    formats: "int8",
    order,
    template: null,
  };
}
