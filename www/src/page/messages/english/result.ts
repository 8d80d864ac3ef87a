// A comparison on show: its runs, the two answers, and the tables behind them.
import { count } from "../../format";
import { format, plural } from "./format";

export const result = {
  heading: "Result",
  switchOff: "Switch it off: the same run in one order for all",
  whyLink: "Why? Take it apart",
  beforeAndAfter: {
    heading: "Before and after",
    before: "Before",
    after: "Now",
    both: "Cold and warm",
    forkedAt: (verdict: string, number: number) => `${verdict} at token ${number}`,
    alike: (verdict: string, tokens: number) => `${verdict}, ${count(tokens)} of ${format.tokens(tokens)}`,
    sameOtherwise: "Same prompt, model, formats, length and device. Only the order of addition differs.",
  },

  runs: {
    "first-turn": { title: "First turn", does: "answers the first message, once" },
    "cold-a": { title: "Cold A", does: "empty cache, everything computed" },
    "cold-b": { title: "Cold B", does: "the same again: the control" },
    warm: { title: "Warm", does: "reuses what the cache holds" },
  },
  stops: {
    "end-of-turn": "the model ended its turn",
    "max-tokens": "length reached",
    "context-full": "context full",
    cancelled: "cancelled",
  },
  /** For a list; the card has a sentence of its own for each. */
  verdicts: {
    "bit-identical": "bit-identical",
    "same-tokens": "same tokens, other bits",
    forked: "forked",
    tie: "forked on a tie",
    vacuous: "nothing reused",
    "control-failed": "control failed",
    corrupt: "too different for rounding",
    cancelled: "stopped",
    error: "error",
  },
  ended: (tokens: number, stop: string) => `${format.tokens(tokens)}, ${stop}`,
  cutOff: (tokens: number) => `${format.tokens(tokens)}, cut off`,
  readingPrompt: (done: number, total: number) => `reading the prompt, ${done} of ${total}`,
  writingToken: (number: number) => `writing token ${number}`,
  promptProgress: (run: string) => `${run}: prompt`,
  tokenProgress: (run: string) => `${run}: tokens`,
  reused: (reused: number, prompt: number) => `${count(reused)} of ${plural(prompt, "prompt token")} reused`,
  noneReused: (prompt: number) => `${plural(prompt, "prompt token")}, none reused`,
  firstTokenAfter: "first token after",

  legend:
    "While both answers agree they are printed once. If they part, the first different token (a word or a piece of one) is boxed " +
    "and each side goes on by itself. If they never part, that is a result too.",

  answers: "The two answers",
  cold: "Cold",
  warm: "Warm",
  everythingComputed: "everything computed",
  computedAgain: "everything computed again",
  cacheReused: "cache reused",
  waiting: "Waiting for the first token",
  noTokens: "No tokens",
  coldSoFar: "Cold so far, not yet compared",
  coldOnly: "Cold only, not compared",
  nothingShared: "Nothing shared",
  shared: (n: number) => (n === 1 ? "Shared, token 1" : `Shared, tokens 1–${n}`),
  allShared: (n: number) => `Shared, all ${format.tokens(n)}`,
  coldAhead: (shared: string) => `${shared}; the grey ones are cold only so far`,
  firstDifferent: (token: string, run: string, other: string, other_run: string) =>
    `First different token: ${token} in ${run}, ${other} in ${other_run}. From there on the two runs read different inputs. ` +
    "A grey underline marks the same token at the same position again.",

  isReplay:
    "The GPU went away. The same steps are run once more on a new one; what was there stays until then.",
  replaySame: (n: number) =>
    `The GPU went away during this comparison, and the same steps were run once more: ${format.tokens(n)} had been there, and every bit of their logits is the same.`,
  replayDiffers: (number: number) =>
    `The GPU went away during this comparison, and the same steps were run once more: at token ${number} they gave other bits. This device does not repeat itself.`,
  replayCut: (n: number, of: number) =>
    `The GPU went away during this comparison. Run once more, it was stopped after ${n} of the ${format.tokens(of)} that had been there.`,
  templateKnown: (whose: string) => `Put in order by a known chat template: ${whose}.`,
  templateUnknown:
    "The chat template is not a known one. What it added or left out is seen in what was sent.",
  sent: (n: number) => `What was sent: ${format.tokens(n)}, with their ids`,
  control: "control",
  everyStep: "Every step as a table, and the kernels that ran",
  everyToken: "Every token of both answers",
  allRuns: "All runs",
  token: "Token",
  coldMargin: "Margin, cold",
  warmMargin: "Margin, warm",
  allLogits: "All logits",
  forkAt: (number: number) => `⟨${number}⟩ fork`,
  otherInputs: "other inputs",
  sameBits: "= same bits",
  otherBits: "≠ other bits",
  run: "Run",
  prompt: "Prompt",
  reusedTokens: "Reused",
  firstToken: "First token",
  tokens: "Tokens",
  perToken: "Per token",
  endedBy: "Ended by",
  kernels: "Kernels that ran",

  over: (token: string, other: string) => `${token} over ${other}`,
  closeCall: {
    heading: "How close was the call?",
    explained: (number: number, pair: string) =>
      `At token ${number}, the lead of ${pair} in each run: its logit minus the other's. The choice changes where this lead changes its sign.`,
    saved: (pair: string, number: number) => `${pair}, token ${number}`,
    wins: (token: string) => `${token} wins`,
    outsideTopFive: "outside this run's top five",
  },
};
