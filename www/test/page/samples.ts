// Small reports for the tests, in the engine's shape.
import type { Comparison, Run, RunName, Step } from "../../src/shared/engine-records";

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

export const FORK = {
  index: 2,
  cold: { id: 3, text: " the", logit: 10 },
  warm: { id: 4, text: " a", logit: 9.99 },
  cold_pair_margin: 0.01,
  warm_pair_margin: -0.02,
};
