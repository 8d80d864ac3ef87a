// The device and the model on its way in: stages, the line below them, progress, and what was loaded in full.
import { count } from "../../format";
import { format } from "./format";

export const load = {
  heading: "Device and model",
  stages: {
    gpu: "GPU",
    twin: "CPU twin",
    download: "Download",
    verify: "Verify",
    compile: "Compile and self-test",
    ready: "Ready",
  },
  stageStates: { done: "done", active: "in progress", failed: "failed", open: "not started" },

  promise: "Runs on your machine. Nothing leaves it.",
  askingForGpu: "Asking the browser for its GPU …",
  /** Each stands before the name of what computes. */
  found: "Found",
  runsOn: "on",
  willRunOn: "Runs on",
  twin: "the CPU twin",
  twinNote: "no GPU: slow, same arithmetic",
  softwareNote: "software GPU: slow, results valid for this device only",
  isPreparing: "preparing for the new settings …",
  /** `whence` is the size of what is downloaded, or that nothing is. */
  loadOnly: (whence: string) => `Load the model only · ${whence}`,
  loadNamed: (title: string, whence: string) => `Load ${title} · ${whence}`,
  fromThisBrowser: "from this browser",
  restOf: (rest: string, size: string) => `the other ${rest} of ${size}`,
  zeroMatrices: (n: number, first: string) =>
    `${n === 1 ? "1 matrix of this file holds" : `${count(n)} matrices of this file hold`} nothing but zeros, the first is ${first}. ` +
    "Where the file was downloaded, its end may never have come; what it answers then means nothing.",
  lookAgain: "Look for a GPU again",
  cancel: "Cancel",

  preparation: "Model preparation",
  fetchingEngine: "Fetching the engine …",
  fetchingEngineAndGpu: "Fetching the engine and opening the GPU …",
  takingIn: "Checking the hash, taking the model in …",
  compiling: "Checking the hash, compiling the kernels, testing each against its CPU twin …",
  download: "Model download",
  part: (number: number, of: number) => `Part ${number} of ${of}`,
  received: (received: string, total: string) => `${received} of ${total}`,
  secondsLeft: (seconds: number) => `${count(seconds)} s left`,
  almostDone: "almost done",
  silent: (tries: number) => `The server sends nothing; it is asked again, try ${tries}.`,
  restarted: {
    "whole-file": "The server sent the whole file where the rest was asked for, so it starts again from 0.",
    "file-changed": "The file on the server is another one now, so it starts again from 0.",
    "nothing-to-go-by":
      "The server does not say which bytes of which version it sends, so it starts again from 0.",
    "part-altered": "The part that was kept here is no longer what was written, so it starts again from 0.",
    "copy-gone": "The copy that was kept here went away while it was read, so it is downloaded again.",
  },

  offer: {
    heading: "The same comparison without a GPU",
    /** The numbers were measured in Chromium, on one core of the machine that the tests run on. */
    text: (size: string) =>
      "Every kernel here has a twin on the CPU that adds in the same order and rounds alike. The twins are " +
      "written for exactness, not for speed: where this was measured, they read about ten tokens a second and " +
      "wrote three to four, which is half a minute for a short prompt and three answers of 16 tokens. The " +
      `format half takes six times as long. The model is the same, ${size} to take in.`,
    accept: "Run it on the CPU: slow, same arithmetic",
    note: "Computed on the CPU, by the twins of the kernels; no GPU took part.",
  },

  details: {
    summary: "Device, limits, model and self-test",
    summaryOfTwin: "CPU twin and model",
    device: "Device",
    model: "Model",
    none: "none",
    nothing: "nothing",
    yes: "yes",
    no: "no",

    computesOn: "Computes on",
    onTwin: "the CPU, one thread, no GPU",
    onSoftware: "the CPU, as a software GPU",
    onGpu: "a GPU",
    kernels: "Kernels",
    kernelsOfTwin: "their CPU twins, which add in the same order",
    selfTest: "Self-test",
    selfTestOfTwin: "none: the twins are what kernels are tested against",

    adapter: "Adapter",
    told: "As the browser tells it",
    backend: "Backend",
    family: "Kernel family",
    subgroups: "Subgroups",
    subgroupsOf: (size: number | null) => `yes, of ${size ?? "unknown size"}`,
    shaderF16: "shader-f16",
    arithmetic: "Arithmetic",
    fused: "multiply and add fused",
    apart: "multiply and add apart",
    regrouped: "sums regrouped",
    asWritten: "sums as written",
    notNearest: "not always the nearest number",
    nearest: "always the nearest number",
    subnormalsKept: "subnormals kept",
    subnormalsFlushed: "subnormals flushed",
    fingerprint: "Numeric fingerprint",
    largestBinding: "Largest binding",
    largestBuffer: "Largest buffer",
    storageBuffers: "Storage buffers per stage",
    workgroupMemory: "Workgroup memory",
    invocations: "Invocations per workgroup",

    file: "File",
    address: "Address",
    name: "Name",
    architecture: "Architecture",
    blocks: (architecture: string, n_blocks: number, width: number) =>
      `${architecture}, ${n_blocks} blocks of ${count(width)}`,
    heads: "Heads",
    headCounts: (heads: number, kv_heads: number, width: number) =>
      `${heads}, sharing ${kv_heads} of keys and values, ${width} wide`,
    feedForward: "Feed-forward",
    vocabulary: "Vocabulary",
    context: "Context",
    contextOf: (positions: number, trained: number) =>
      `${count(positions)} of the model's ${count(trained)} tokens`,
    tensors: "Tensors",
    chunkRows: "Rows per prefill step",
    atMost: (n: number) => `${count(n)} at most`,
    size: "Size",
    bytes: (n: number) => `${count(n)} bytes`,
    hash: "SHA-256",
    hashOfParts: "SHA-256 of all parts in order",
    tokenizer: "Tokenizer",
    tokenizerHash: "Tokenizer's SHA-256",
    rule: (name: string) => `rule ${name}`,
    ruleInPlace: "in place of a rule that is unknown: ids may be wrong",
    ruleNotProven: "not proven by published ids",
    template: "Chat template",
    templateHash: "Chat template's SHA-256",
    defaultTemplate: "the file's default",
    otherTemplates: (shown: string, others: string) => `${shown}; also ${others}`,
    noTemplate: "no chat template",

    selfTestOf: (ms: number) => `Self-test: each kernel against its CPU twin, ${format.duration(ms)}`,
    kernel: "Kernel",
    error: "Error (NMSE)",
    bits: "Bits",
    equal: "equal",
    withinTolerance: "within tolerance",
  },
};
