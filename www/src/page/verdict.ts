// The verdict as sentences of the catalogue, with its control and its exposure. Pure: the language is whose who says them.
import type { Comparison, Fork, Run, RunName, Verdict } from "../shared/engine-records";
import type { Messages } from "./language";
import type { Said } from "./messages/said";

export type VerdictSentence = Said<Messages["verdict"]>;

export interface VerdictWords {
  /** One sentence that stands alone. */
  title: VerdictSentence;
  /** What it means, and what it does not. */
  meaning: VerdictSentence[];
  /** Drawn beside the title: arms, trunk, or neither. */
  mark: "fork" | "trunk" | "none";
}

export interface Check {
  text: VerdictSentence;
  state: "passed" | "failed" | "open";
}

export function runOf(comparison: Comparison, name: RunName): Run | undefined {
  return comparison.runs.find((run) => run.run === name);
}

/** Whether it came to its own end: what was broken off has no verdict on cold and warm. */
export function hasEnded({ verdict }: Comparison): boolean {
  return verdict !== "cancelled" && verdict !== "error";
}

export function verdictWords(comparison: Comparison): VerdictWords {
  const { fork, order } = comparison;
  const n_steps = runOf(comparison, "warm")?.steps.length ?? 0;
  const words: Record<Verdict, () => VerdictWords> = {
    forked: () => ({
      title: ["split", numberOf(fork)],
      meaning: [
        ...choices(fork),
        ...drift(comparison),
        order === "by-shape" ? (["otherOrder"] as const) : (["defect"] as const),
      ],
      mark: "fork",
    }),
    tie: () => ({
      title: ["splitOnTie", numberOf(fork)],
      meaning: [...choices(fork), ["tieRule"]],
      mark: "fork",
    }),
    "same-tokens": () => ({
      title: ["sameWords"],
      meaning: [["agree", n_steps], ...drift(comparison), closestCall(comparison), ["mayFork"]],
      mark: "trunk",
    }),
    "bit-identical": () => ({
      title: ["identical"],
      meaning: [
        ["agreeInBits", n_steps],
        order === "invariant" ? ["orderKeepsBits"] : ["orderPromisesNothing"],
      ],
      mark: "trunk",
    }),
    vacuous: () => ({ title: ["notCompared"], meaning: [["nothingReused"]], mark: "none" }),
    "control-failed": () => ({ title: ["controlFailed"], meaning: [["doesNotRepeat"]], mark: "none" }),
    corrupt: () => ({ title: ["corrupt"], meaning: [["wrongNumbers"]], mark: "none" }),
    cancelled: () => ({ title: ["cancelled"], meaning: [["partial"]], mark: "none" }),
    error: () => ({ title: ["error"], meaning: [["partial"]], mark: "none" }),
  };
  return words[comparison.verdict]();
}

/** Of the first different token, counted from one. */
function numberOf(fork: Fork | null): number {
  return (fork?.index ?? 0) + 1;
}

function choices(fork: Fork | null): VerdictSentence[] {
  if (!fork) return [];
  const { index, cold, warm } = fork;
  return [index === 0 ? ["choseAtOnce", cold.text, warm.text] : ["chose", index, cold.text, warm.text]];
}

/** The tokens whose logits differ in a bit, up to the fork; behind it the inputs differ and nothing compares. */
function drift(comparison: Comparison): VerdictSentence[] {
  const cold = runOf(comparison, "cold-a")?.steps ?? [];
  const warm = runOf(comparison, "warm")?.steps ?? [];
  const n_comparable = Math.min(cold.length, warm.length, (comparison.fork?.index ?? Infinity) + 1);
  const differing = Array.from({ length: n_comparable }, (_, index) => index).filter(
    (index) => cold[index]?.logits_hash !== warm[index]?.logits_hash,
  );
  return differing.length === 0 ? [] : [["logitsDiffer", differing]];
}

function closestCall(comparison: Comparison): VerdictSentence {
  const margins = ["cold-a", "warm"].flatMap(
    (name) =>
      runOf(comparison, name as RunName)?.steps.map((step, index) => ({ index, margin: step.margin })) ?? [],
  );
  if (margins.length === 0) return ["neverEnough"];
  const closest = margins.reduce((best, next) => (next.margin < best.margin ? next : best));
  return ["closestCall", closest.index + 1, closest.margin];
}

/** The lead of cold's token over warm's, in both runs. */
export function leadSentence({ cold, warm, cold_pair_margin, warm_pair_margin }: Fork): VerdictSentence[] {
  if (cold_pair_margin === null || warm_pair_margin === null) return [];
  return [["led", cold.text, warm.text, cold_pair_margin, warm_pair_margin]];
}

/** Cold A against cold B. */
export function controlCheck({ control }: Comparison): Check {
  if (!control) return { text: ["controlOpen"], state: "open" };
  if (control.same_bits) return { text: ["controlPassed"], state: "passed" };
  return { text: [control.same_tokens ? "controlFailedBits" : "controlFailedTokens"], state: "failed" };
}

/** How much of the prompt the warm run took from the cache. */
export function exposureCheck(comparison: Comparison): Check {
  const warm = runOf(comparison, "warm");
  if (!warm) return { text: ["exposureOpen"], state: "open" };
  return {
    text: ["exposure", warm.reused_tokens, warm.prompt_tokens],
    state: warm.reused_tokens > 0 ? "passed" : "failed",
  };
}
