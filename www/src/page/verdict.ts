// The verdict in words, with its control and its exposure. Pure.
import type { Comparison, Run, RunName, Verdict } from "../shared/engine-records";
import { margin, quotedToken } from "./format";
import { format, plural } from "./messages/english/format";

export interface VerdictWords {
  /** One sentence that stands alone. */
  title: string;
  /** What it means, and what it does not. */
  meaning: string;
  /** Drawn beside the title: arms, trunk, or neither. */
  mark: "fork" | "trunk" | "none";
}

export interface Check {
  text: string;
  state: "passed" | "failed" | "open";
}

export function runOf(comparison: Comparison, name: RunName): Run | undefined {
  return comparison.runs.find((run) => run.run === name);
}

export function verdictWords(comparison: Comparison): VerdictWords {
  const n_steps = runOf(comparison, "warm")?.steps.length ?? 0;
  const words: Record<Verdict, () => VerdictWords> = {
    forked: () => ({
      title: forkTitle(comparison, "They split"),
      meaning: `${forkSentence(comparison)} ${driftSentence(comparison)} ${whatDiffers(comparison)}`,
      mark: "fork",
    }),
    tie: () => ({
      title: forkTitle(comparison, "They split on an exact tie"),
      meaning: `${forkSentence(comparison)} In at least one run the two best logits were exactly equal, so the tie rule (lowest id wins) decided, not the numbers.`,
      mark: "fork",
    }),
    "same-tokens": () => ({
      title: "Same words, different bits",
      meaning: `${allAgree(n_steps)}. ${driftSentence(comparison)} The drift was never large enough to change a choice${closestCall(comparison)}. Another prompt, more tokens or another device may fork; this one did not.`,
      mark: "trunk",
    }),
    "bit-identical": () => ({
      title: "Identical to the last bit",
      meaning:
        comparison.order === "invariant"
          ? `${allAgree(n_steps)}, and so does every bit of every logit. With one order of addition for every shape, reusing the cache changes nothing.`
          : `${allAgree(n_steps)}, and so does every bit of every logit. The by-shape order does not promise that; it is what this device gave for this prompt.`,
      mark: "trunk",
    }),
    vacuous: () => ({
      title: "Not a comparison",
      meaning:
        "The warm run reused nothing from the cache, so both sides did the same work and their agreement says nothing. A longer prompt gives the cache something to hold.",
      mark: "none",
    }),
    "control-failed": () => ({
      title: "The control failed: cold differs from cold",
      meaning:
        "Two runs from an empty cache gave different results, so this device does not repeat itself. A difference between cold and warm could not be blamed on the cache here. Below are the two cold runs.",
      mark: "none",
    }),
    corrupt: () => ({
      title: "Too different to be rounding",
      meaning:
        "Cold and warm differ by more than another order of addition can explain. Something gave wrong numbers: a driver, a kernel or the cache. Take no lesson about rounding from this run.",
      mark: "none",
    }),
    cancelled: () => ({
      title: "Stopped by you",
      meaning: "What had been computed stays below. A partial run has no verdict.",
      mark: "none",
    }),
    error: () => ({
      title: "Ended by an error",
      meaning: "What had been computed stays below. A partial run has no verdict.",
      mark: "none",
    }),
  };
  return words[comparison.verdict]();
}

function allAgree(n_steps: number): string {
  return n_steps === 1 ? "The one token agrees" : `All ${plural(n_steps, "token")} agree`;
}

function forkTitle(comparison: Comparison, how: string): string {
  return comparison.fork ? `${how} at token ${comparison.fork.index + 1}` : how;
}

function forkSentence({ fork }: Comparison): string {
  if (!fork) return "";
  const before =
    fork.index === 0 ? "At the very first token" : `After ${plural(fork.index, "identical token")}`;
  return `${before}, cold chose ${quotedToken(fork.cold.text)} and warm chose ${quotedToken(fork.warm.text)}.`;
}

function whatDiffers(comparison: Comparison): string {
  return comparison.order === "by-shape"
    ? "Same prompt, same weights, same device: the sums were added in another order."
    : "The invariant order promises that this cannot happen. This is a defect of this program or of the device, please report it.";
}

/** The tokens whose logits differ in a bit, up to the fork; behind it the inputs differ and nothing compares. */
function driftSentence(comparison: Comparison): string {
  const cold = runOf(comparison, "cold-a")?.steps ?? [];
  const warm = runOf(comparison, "warm")?.steps ?? [];
  const n_comparable = Math.min(cold.length, warm.length, (comparison.fork?.index ?? Infinity) + 1);
  const differing = Array.from({ length: n_comparable }, (_, index) => index).filter(
    (index) => cold[index]?.logits_hash !== warm[index]?.logits_hash,
  );
  if (differing.length === 0) return "";
  return `Their logits differ at ${format.tokenNumbers(differing)}.`;
}

function closestCall(comparison: Comparison): string {
  const margins = ["cold-a", "warm"].flatMap(
    (name) =>
      runOf(comparison, name as RunName)?.steps.map((step, index) => ({ index, margin: step.margin })) ?? [],
  );
  if (margins.length === 0) return "";
  const closest = margins.reduce((best, next) => (next.margin < best.margin ? next : best));
  return `: the closest call was token ${closest.index + 1}, with a margin of ${margin(closest.margin)}`;
}

/** Cold A against cold B. */
export function controlCheck({ control }: Comparison): Check {
  if (!control) return { text: "control: not finished", state: "open" };
  if (control.same_bits) return { text: "control: cold = cold", state: "passed" };
  const which = control.same_tokens ? " (same tokens, other bits)" : "";
  return { text: `control: cold ≠ cold${which}`, state: "failed" };
}

/** How much of the prompt the warm run took from the cache. */
export function exposureCheck(comparison: Comparison): Check {
  const warm = runOf(comparison, "warm");
  if (!warm) return { text: "exposure: no warm run", state: "open" };
  return {
    text: `warm reused ${warm.reused_tokens} of ${plural(warm.prompt_tokens, "prompt token")}`,
    state: warm.reused_tokens > 0 ? "passed" : "failed",
  };
}
