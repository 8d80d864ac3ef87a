// Why the answers part: the first different bit, how close every call was, where the caches differ, whose order is to blame.
import type { Origin, OriginSide, TapTensor } from "../../../shared/engine-records";
import { count, plain } from "../../format";
import type { HeatMetric } from "../../heat-metric";
import { format, plural } from "./format";

const TENSORS = {
  q: "Q",
  k: "K",
  v: "V",
  "attention-output": "attention output",
  "residual-after-attention": "residual stream after attention",
  "ffn-hidden": "FFN hidden",
  "residual-after-ffn": "residual stream after FFN",
  logits: "logits",
};

function sideWords(run: string, { value, bits, writer, altered }: OriginSide): string {
  const step = `${writer.kernel} in a step of ${plural(writer.chunk_rows, "row")}`;
  return altered
    ? `The cache of the ${run} run held ${plain(value)} (${bits}), which is not what ${step} writes.`
    : `The ${run} run wrote ${plain(value)} (${bits}) by ${step}.`;
}

export const why = {
  title: "Which last bit did it?",
  titleOfEqual: "Is every last bit the same?",
  isThere: "The comparison on show is run once more, cold and warm side by side, and every tensor compared.",
  modelIsGone:
    "The model of the comparison on show is not the one that is loaded. What was found stays; to ask more, load that model again, or run a comparison on this one.",
  isRunning: "The comparison is still running; it can be taken apart once it has its verdict.",
  isMissing:
    "There is no comparison of yours yet. Run one first; here you then see the very first bit that differs, how close every choice was, and which order of addition is to blame.",
  ranOnCpu: "This comparison ran on the CPU, whose kernels cannot be looked into. It takes a GPU.",
  hasNoVerdict: "This comparison has no verdict that could be taken apart. Run another one.",
  toComparison: "To the comparison",
  recordedIs: "Below it is taken apart, as one of your own will be.",
  recordedLoading: "Fetching the recorded run, taken apart …",
  recordedUnreadable: "The recorded run could not be fetched.",

  heading: "Taken apart",
  offer:
    "Both runs once more, side by side, every tensor compared on the GPU: the first bit that differs, the kernels that wrote it, " +
    "and how close every call was.",
  begin: "Take it apart",
  stop: "Stop",
  stopping: "Stopping …",
  progress: "Taking it apart",
  computing: "Both runs compute the prompt …",
  compared: (tokens: number, of: number) => `Side by side, ${count(tokens)} of ${format.tokens(of)} …`,
  findingMargins: "The margins of the two tokens, step by step …",
  findingOrigin: "The first bit that differs …",

  origin: ({ layer, tensor, position, index, ulp, cold, warm }: Origin) =>
    `First different bit: ${layer === null ? "" : `layer ${layer}, `}${TENSORS[tensor]} of position ${position}, index ${index}. ` +
    `${sideWords("cold", cold)} ${sideWords("warm", warm)} Apart by ${count(ulp)} ulp, the step from one number to the next.`,
  allEqual: "No difference: every bit of every tensor is equal.",
  stopped: "Stopped before the first different bit was found.",
  brokenOff: (message: string) => `Broken off. ${message}`,
  logitsDiffer: (steps: number, of: number) =>
    `Some logit, the score of a token, differs in ${count(steps)} of ${plural(of, "step")}.`,
  flips: (spread: string, expected: string, steps: number) =>
    `The lead of the best token over the second moves by ${spread} between the runs (root mean square); by that, ${expected} flips were to be expected in ${plural(steps, "step")}.`,
  flipAtFork: (percent: string) => `A flip at the fork had a chance of ${percent} %.`,
  bestOverSecond: "the best token over the second",

  hatched: "Hatched: behind the fork the two runs read other tokens, so nothing compares.",
  canGoBeyond: "Both can be kept on the cold run's tokens instead.",
  goBeyond: "Go on with the same tokens",
  isBeyond: (tokens: number) =>
    `Behind the fork both runs were fed the cold run's tokens, ${format.tokens(tokens)} of them: what is compared there is noise, not what each answered.`,

  everyTensor: (position: number) =>
    `Every tensor of position ${position}, layer by layer: its largest distance, in ulp of f32 (steps from one number to the next; two small numbers on either side of zero are thousands of millions of steps apart) for all, K and V too`,
  layer: "Layer",
  tensorColumns: {
    q: "Q",
    k: "K",
    v: "V",
    "attention-output": "Attention",
    "residual-after-attention": "Residual after attention",
    "ffn-hidden": "FFN",
    "residual-after-ffn": "Residual after FFN",
    logits: "Logits",
  },
  first: "← first",

  margins: {
    heading: "How close every call was.",
    explained: (pair: string) =>
      `The lead of ${pair} at each token: ● in the cold run, ◆ in the warm one. The hatched band reaches to both sides as far as the ` +
      "lead drifted from the one run to the other: a lead inside it is closer than the noise. The dotted line is twice the largest change of any logit (2ε): " +
      "a lead beyond it cannot be lost. The height is stretched near zero, where the noise is, and flat far away: read the numbers, not the lengths.",
    label: (pair: string, from: number, to: number) =>
      `${pair}, tokens ${from} to ${to}; the table below has the numbers`,
    saved: (pair: string, from: number, to: number) => `The lead of ${pair}, tokens ${from} to ${to}`,
    asTable: "These numbers as a table, with the flip risk of each token",
    token: "Token",
    cold: "Cold run",
    warm: "Warm run",
    driftKey: "Drift: how far the lead moved",
    safeKey: "Safe line (2ε): beyond it no lead is lost",
    coldLead: "Lead, cold",
    warmLead: "Lead, warm",
    drift: "Drift of the lead",
    gap: "Gap of the best two, cold",
    largestChange: "Largest change of a logit (ε)",
    safe: "Safe line (2ε)",
    risk: "Flip risk",
  },

  cache: {
    heading: "What the warm run reused.",
    explained:
      "The seam between the last reused position and the first computed one is where the shapes of the sums change. " +
      "The hatches of what was reused tell sizes of the steps that wrote it apart.",
    positions: (from: number, to: number) => (from === to ? `position ${from}` : `positions ${from}–${to}`),
    reused: "reused",
    computed: "computed",
    hadBeenWritten: (rows: number) => `had been written in a step of ${plural(rows, "row")}`,
    written: (rows: number) => `written in a step of ${plural(rows, "row")}`,
    label: (reused: number, of: number) =>
      `The prompt in the cache: ${reused} of ${plural(of, "position")} reused`,
    seam: "The seam: from here on computed",
    block: (number: number, from: number, to: number) => `Block ${number}, positions ${from}–${to}:`,
  },

  heat: {
    heading: "Where the caches differ.",
    sides: { k: "Keys", v: "Values" },
    explained: (side: "k" | "v", measure: string) =>
      `One cell for each layer (down) and position (across), of the cached ${side === "k" ? "key" : "value"}: ${measure}. ` +
      "A dot is equal in every bit. The arrow keys move the cursor.",
    measure: "Measure",
    metrics: { steps: "Largest distance", share: "Share that differs", relative_l2: "Relative L2" },
    measures: {
      steps: (unit: string) => `the largest distance between two numbers, in ${unit}`,
      share: () => "the share of its numbers that differ in some bit",
      relative_l2: () => "the length of the difference, as a vector, over the cold run's own length",
    },
    number: (metric: HeatMetric, value: number, unit: string) => {
      if (metric === "steps") return `${count(value)}${unit && ` ${unit}`}`;
      if (metric === "share") return `${(100 * value).toFixed(0)} %`;
      return value === 0 ? "0" : value.toExponential(1);
    },
    stepsOfFormat: (kv_format: string) => `steps of ${kv_format}, the cache's format`,
    representable: "representable numbers (ulp)",
    unit: (kv_format: string) => `${kv_format} steps`,
    whatIsShown: "What is shown",
    axes: { layer: "layer", position: "position", fork: "fork" },
    label: (side: string, layers: number, positions: number, where: string, largest: string) =>
      `${side}: ${layers} layers by ${positions} positions, ${where && `largest at ${where}: `}at most ${largest}; the cell under the cursor is told below, the table has all`,
    cell: (layer: number, position: number) => `Layer ${layer}, position ${position}`,
    reused: "reused",
    computed: "computed",
    everyBitEqual: "every bit equal",
    differ: (distance: string, share: string, relative: string) =>
      `${distance} at most, ${share} of the numbers differ, relative L2 ${relative}`,
    equal: "equal",
    orMore: (number: string) => `${number} or more`,
    below: (number: string) => `below ${number}`,
    asTable: (side: string, measure: string) => `${side} as a table: ${measure}`,
  },

  shapes: {
    heading: "Does it hold in every shape?",
    explained:
      "The prompt is run in other chunks, with other reuse and beside another sequence, and the logits of every token are held against " +
      "those of one plain cold run, bit for bit.",
    begin: "Check every shape",
    tried: (done: number, of: number) => `${done} of ${of} runs done …`,
    first: "The plain run …",
    progress: "Shapes tried",
    nothingKnown: "Stopped before anything could be told.",
    holds: (shapes: number, tokens: number) =>
      `Claim level L2 holds here: all ${shapes} shapes give the bits of the plain run, ${format.tokens(tokens)} each.`,
    luck: (shapes: number) =>
      `All ${shapes} shapes give the bits of the plain run. By shape that is what this prompt gave, not a rule: no claim.`,
    noRoom: (shapes: number) =>
      `All ${shapes} shapes give the bits of the plain run, but not every kind of shape could be tried with this prompt: no claim.`,
    differ: (differing: number, shapes: number) =>
      `${differing} of ${shapes} shapes give other bits than the plain run.`,
    stopped: (shapes: number) => `Stopped after ${shapes} shapes: no claim.`,
    asTable: "Every shape as a table",
    chunk: "Rows of a step",
    reused: "Tokens reused",
    neighbours: "Other sequences",
    outcome: "Against the plain run",
    equal: "= equal bits",
    other: (token: number) => `≠ from token ${token} on`,
  },

  noise: {
    heading: "Noise or corruption?",
    explained:
      "The first tokens are run again, and the warm run's cache is held against a cold run's. How far rounding takes a cold run is measured for this very " +
      "prompt, against finer arithmetic.",
    begin: "Hold it against the rounding",
    first: "The runs once more …",
    computed: (tokens: number) => `${format.tokens(tokens)} so far …`,
    progress: "Holding the cache against the rounding",
    nothingKnown: "Stopped before anything could be told.",
    isNoise: (times: string) =>
      `Noise: nowhere is the warm run's cache further than ${times} times the rounding from the cold run's.`,
    isCorrupt: (times: string, layer: number | null, tensor: TapTensor, position: number) =>
      `Corrupt: ${layer === null ? "" : `layer ${layer}, `}${TENSORS[tensor]} of position ${position} is ${times} times the rounding away. Rounding does not do that.`,
  },

  twin: {
    heading: "Would another device say the same?",
    explained:
      "The first four tokens of each run, here and on the CPU twin of the kernels, bit against bit. The model's file is read once more, from this " +
      "browser where it is kept. Every device that gives the twin's bits gives this one's.",
    begin: "Check against the CPU twin",
    first: "The twin takes the model …",
    computed: (tokens: number) => `${format.tokens(tokens)} of both so far …`,
    progress: "Checking against the CPU twin",
    holds: (tokens: number) =>
      `Claim level L4 holds here: all ${format.tokens(tokens)} have the bits of the CPU twin.`,
    differs: (run: string, token: number) =>
      `The logits of token ${token} of the run ${run} are not the twin's: no claim.`,
    notClaimed: (reason: string) => `No claim: ${reason}.`,
  },

  orders: {
    heading: "Whose order is to blame?",
    explained:
      "Each switch is a place of the model where numbers are added, in the order of the forward pass. Add in one order there, however many rows there are, " +
      "or by shape; the prompt is then run cold and warm under your choice.",
    legend: "On: one order (invariant). Off: by shape.",
    places: {
      attn_qkv: "QKV products",
      attention: "attention",
      attn_output: "attention output",
      ffn_gate_up: "gate and up",
      ffn_down: "down",
      output: "output head",
    },
    meanings: {
      attn_qkv: "What each token asks for, offers and passes on.",
      attention: "Each token's look at those before it.",
      attn_output: "What was seen there, added to the token's own values.",
      ffn_gate_up: "Into the wide layer that works on each token alone.",
      ffn_down: "Out of that layer, added to the token's own values.",
      output: "A score for every token of the vocabulary.",
    },
    invariant: "One order.",
    byShape: "By shape.",
    setAllByShape: "All by shape",
    setAllInvariant: "All one order",
    allByShape: "all by shape",
    allInvariant: "all one order",
    invariantAt: (places: string) => `one order at ${places}; the rest by shape`,
    untried: (choice: string) => `Not run yet: ${choice}.`,
    run: "Run this choice",
    running: (choice: string) => `Cold and warm, ${choice} …`,
    progress: "Running cold and warm under this choice",
    chosen: (choice: string) => `Cold and warm, ${choice}:`,
    tried: "Choices so far",
    choice: "Choice",
    outcome: "Cold and warm",
    outcomes: {
      equalBits: (tokens: number) => `= equal bits, ${format.tokens(tokens)}`,
      otherBits: (number: number, tokens: number) =>
        `≠ other bits from token ${number} on, no fork in ${tokens}`,
      fork: (number: number) => `Y fork at token ${number}`,
    },
  },

  ablation: {
    heading: "One place after the other.",
    explained:
      "The prompt is run cold and warm once for every choice: the order of addition is made invariant, or made by shape, at each place by itself, at " +
      "places that belong together, and at all.",
    begin: "Try all of them",
    tried: (done: number, of: number) => `${done} of ${of} choices of orders tried …`,
    first: "The first choice of orders …",
    progress: "Orders tried",
    nothingKnown: "Stopped before anything could be told.",
    changed: "Changed",
    madeInvariant: "Made invariant, the rest by shape",
    madeByShape: "Made by shape, the rest invariant",
    nothing: "nothing",
    groups: {
      "attention block": "attention block",
      "feed-forward": "feed-forward",
      "all matrix products": "all matrix products",
      all: "all",
    },
    nothingToTakeAway:
      "Cold and warm have the same bits with every place by shape: there is nothing to take away.",
    stoppedAfter: (groups: number) =>
      `Stopped after ${plural(groups, "group")} of places: nothing can be concluded yet.`,
    noSingle: "no single place",
    nothingTried: "none of those tried",
    finding: (causes: string, forks: string, removes: string) =>
      `By shape, each alone makes the bits differ: ${causes}; of these a fork follows from: ${forks}. ` +
      `To make the bits equal again, invariant order is needed at: ${removes}.`,
  },
};
