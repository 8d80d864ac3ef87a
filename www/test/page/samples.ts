// Small reports for the tests, in the engine's shape.
import type { ComparisonInputs, DoneComparison, Shown } from "../../src/page/session-state";
import type {
  CompareRequest,
  Comparison,
  DeviceReport,
  Run,
  RunName,
  Step,
} from "../../src/shared/engine-records";
import type { Processor } from "../../src/shared/protocol";

export function step(id: number, margin = 1, logits_hash = `h${id}`): Step {
  return {
    id,
    text: ` w${id}`,
    top: [{ id, text: ` w${id}`, logit: 10 }],
    margin,
    logits_hash,
    elapsed_ms: 5,
  };
}

export function run(name: RunName, steps: Step[], changes: Partial<Run> = {}): Run {
  return {
    run: name,
    prompt_tokens: 61,
    reused_tokens: name === "warm" ? 60 : 0,
    steps,
    stop: "max-tokens",
    time_to_first_token_ms: 100,
    kernels: [],
    ...changes,
  };
}

export function comparison(changes: Partial<Comparison> = {}): Comparison {
  const steps = [step(1, 0.5), step(2, 0.0125), step(3, 2)];
  return {
    verdict: "bit-identical",
    fork: null,
    first_differing_logits: null,
    control: { same_tokens: true, same_bits: true },
    claim: "L1",
    exposure: 60,
    noise: null,
    error: null,
    prompt: [],
    runs: [run("cold-a", steps), run("cold-b", steps), run("warm", steps)],
    formats: "int8",
    order: "invariant",
    ...changes,
  };
}

const MESSAGE: CompareRequest = {
  prompt: { kind: "chat", user: "One." },
  scenario: { kind: "same-prompt" },
  before: [],
  max_tokens: 3,
};

/** A device's own name and arithmetic, as a comparison remembers them. */
export function gpu(name: string, hash = "f00d"): Processor {
  const device = { name, driver: "d", family: "gpu-plain", fingerprint: { hash } };
  return { kind: "gpu", device: device as DeviceReport };
}

/** What is known of a comparison before it begins. */
export function shown(changes: Partial<ComparisonInputs> = {}, on: Processor = gpu("An adapter")): Shown {
  const inputs = {
    request: MESSAGE,
    formats: "int8",
    order: "by-shape",
    template: null,
    ...changes,
  } as const;
  return { inputs, ran_on: on, model_title: "Tiny", model_sha256: "a" };
}

/** One that has ended. */
export function done(about: Shown, changes: Partial<Comparison> = {}): DoneComparison {
  return {
    ...about,
    kind: "done",
    comparison: comparison({ order: about.inputs.order, formats: about.inputs.formats, ...changes }),
    replay: null,
  };
}

export const FORK = {
  index: 2,
  cold: { id: 3, text: " the", logit: 10 },
  warm: { id: 4, text: " a", logit: 9.99 },
  cold_pair_margin: 0.01,
  warm_pair_margin: -0.02,
};
