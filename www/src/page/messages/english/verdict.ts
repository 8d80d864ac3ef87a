// The verdict, its control and its exposure. Sentences that stand beside each other are entries of their own.
import { count, margin, quotedToken, signed } from "../../format";
import { format, plural } from "./format";

const PARTIAL = "What had been computed stays below. A partial run has no verdict.";

export const verdict = {
  split: (number: number) => `They split at token ${number}`,
  splitOnTie: (number: number) => `They split on an exact tie at token ${number}`,
  sameWords: "Same words, different bits",
  identical: "Identical to the last bit",
  notCompared: "Not a comparison",
  controlFailed: "The control failed: cold differs from cold",
  corrupt: "Too different to be rounding",
  cancelled: "Stopped by you",
  error: "Ended by an error",

  choseAtOnce: (cold: string, warm: string) =>
    `At the very first token, cold chose ${quotedToken(cold)} and warm chose ${quotedToken(warm)}.`,
  chose: (n_identical: number, cold: string, warm: string) =>
    `After ${plural(n_identical, "identical token")}, cold chose ${quotedToken(cold)} and warm chose ${quotedToken(warm)}.`,
  logitsDiffer: (indices: readonly number[]) => `Their logits differ at ${format.tokenNumbers(indices)}.`,
  firstWords:
    "A token is a word or a piece of one; its logit is its score. The control is a second cold run, which must repeat the first.",
  otherOrder: "Same prompt, same weights, same device: the sums were added in another order.",
  defect:
    "The invariant order promises that this cannot happen. This is a defect of this program or of the device, please report it.",
  tieRule:
    "In at least one run the two best logits were exactly equal, so the tie rule (lowest id wins) decided, not the numbers.",
  led: (cold: string, warm: string, cold_margin: number, warm_margin: number) =>
    `${quotedToken(cold)} led ${quotedToken(warm)} by ${signed(cold_margin)} in the cold run and by ${signed(warm_margin)} in the warm one.`,

  agree: (n: number) => `${n === 1 ? "The one token agrees" : `All ${format.tokens(n)} agree`}.`,
  agreeInBits: (n: number) =>
    `${n === 1 ? "The one token agrees" : `All ${format.tokens(n)} agree`}, and so does every bit of every logit.`,
  neverEnough: "The drift was never large enough to change a choice.",
  closestCall: (number: number, closest: number) =>
    `The drift was never large enough to change a choice: the closest call was token ${number}, with a margin of ${margin(closest)}.`,
  mayFork: "Another prompt, more tokens or another device may fork; this one did not.",
  orderKeepsBits: "With one order of addition for every shape, reusing the cache changes nothing.",
  orderPromisesNothing:
    "The by-shape order does not promise that; it is what this device gave for this prompt.",
  nothingReused:
    "The warm run reused nothing from the cache, so both sides did the same work and their agreement says nothing. A longer prompt gives the cache something to hold.",
  doesNotRepeat:
    "Two runs from an empty cache gave different results, so this device does not repeat itself. A difference between cold and warm could not be blamed on the cache here. Below are the two cold runs.",
  wrongNumbers:
    "Cold and warm differ by more than another order of addition can explain. Something gave wrong numbers: a driver, a kernel or the cache. Take no lesson about rounding from this run.",
  partial: PARTIAL,

  controlOpen: "control: not finished",
  controlPassed: "control: cold = cold",
  controlFailedBits: "control: cold ≠ cold (same tokens, other bits)",
  controlFailedTokens: "control: cold ≠ cold",
  exposureOpen: "exposure: no warm run",
  exposure: (reused: number, prompt: number) =>
    `warm reused ${count(reused)} of ${plural(prompt, "prompt token")}`,
  verdictCode: "verdict:",
  numerics: (formats: string, order: string) => `${formats}, order ${order}`,

  recorded: "A recorded run",
  changeOrder: "Change the order of addition",
  byShape: "By shape (usual)",
  invariant: "Invariant (one order)",
  runYours: "Run it on your machine",
  recordedBy: (driver: string) => `Recorded by this very engine on a software GPU (${driver}).`,
  records: "The records:",
  byShapeRecord: "by shape",
  invariantRecord: "invariant",
  whyThis:
    "It stands here because it forks; of 40 prompts that nobody chose, 35 did within 100 tokens on that device. Yours may fork elsewhere, or not at all.",
};
