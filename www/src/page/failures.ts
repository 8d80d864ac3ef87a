// The words for every failure: what it is called, what still works, and the next step.
// What happened and what to do come from where it happened (the engine or the worker).
import type { EngineError } from "../shared/engine-records";
import type { ModelSource } from "../shared/protocol";

/** What the button under a failure does. */
export type NextStep =
  | "check-gpu"
  | "load-model"
  | "restart-and-load"
  | "run-again"
  | "choose-another"
  | "check-again"
  | "load-anyway";

export interface FailureWords {
  title: string;
  still_works: string;
  next: NextStep;
  next_label: string;
}

const ELSEWHERE =
  "You can read this page, and run the comparison below on the CPU. It also runs without a browser: the command " +
  "lastbit compare uses Vulkan, Metal or DirectX directly.";
const PAGE_KEPT = "Everything shown so far stays on the page, and so do your prompt and settings.";

const BROKE_OFF = "The comparison broke off";

const WORDS: Record<string, FailureWords> = {
  "no-webgpu": {
    title: "This browser has no WebGPU",
    still_works: ELSEWHERE,
    next: "check-gpu",
    next_label: "Check again",
  },
  "insecure-origin": {
    title: "WebGPU is off on this address",
    still_works: ELSEWHERE,
    next: "check-gpu",
    next_label: "Check again",
  },
  "no-adapter": {
    title: "No GPU was offered",
    still_works: ELSEWHERE,
    next: "check-gpu",
    next_label: "Check again",
  },
  "device-refused": {
    title: "The GPU refused the request",
    still_works: ELSEWHERE,
    next: "restart-and-load",
    next_label: "Start the GPU again",
  },
  "device-lost": {
    title: "The GPU went away",
    still_works: PAGE_KEPT,
    next: "restart-and-load",
    next_label: "Start the GPU and load the model again",
  },
  "out-of-memory": {
    title: "Not enough GPU memory",
    still_works: `${PAGE_KEPT} The int8 and float formats need half the cache of f32, and fewer tokens need less still.`,
    next: "restart-and-load",
    next_label: "Start the GPU and load the model again",
  },
  "shader-failed": {
    title: "A kernel did not compile on this device",
    still_works: `${PAGE_KEPT} Other formats or the other order use other kernels.`,
    next: "restart-and-load",
    next_label: "Load again with the settings below",
  },
  "self-test-failed": {
    title: "A kernel computes wrong numbers on this device",
    still_works: `Nothing was run with it, so nothing wrong is shown. ${PAGE_KEPT} Other formats or the other order use other kernels.`,
    next: "restart-and-load",
    next_label: "Load again with the settings below",
  },
  "hash-mismatch": {
    title: "The file that arrived is not the model",
    still_works: `The bytes were thrown away before anything ran. ${PAGE_KEPT}`,
    next: "load-model",
    next_label: "Download it again",
  },
  "bad-file": {
    title: "The model file cannot be read",
    still_works: `The bytes were thrown away before anything ran. ${PAGE_KEPT}`,
    next: "load-model",
    next_label: "Download it again",
  },
  "download-cut": {
    title: "The download broke off",
    still_works: "The part that arrived is kept while this page is open.",
    next: "load-model",
    next_label: "Continue the download",
  },
  "download-cancelled": {
    title: "Download stopped",
    still_works: "The part that arrived is kept while this page is open.",
    next: "load-model",
    next_label: "Continue the download",
  },
  "download-http": {
    title: "The server does not give the file",
    still_works: PAGE_KEPT,
    next: "load-model",
    next_label: "Try the download again",
  },
  "download-network": {
    title: "The model could not be fetched",
    still_works: "The part that arrived, if any, is kept while this page is open.",
    next: "load-model",
    next_label: "Try the download again",
  },
  "bad-request": {
    title: "These settings cannot be run",
    still_works: `The model stays loaded. ${PAGE_KEPT}`,
    next: "run-again",
    next_label: "Run again",
  },
  "run-failed": {
    title: BROKE_OFF,
    still_works: `The model stays loaded. ${PAGE_KEPT}`,
    next: "run-again",
    next_label: "Run again",
  },
  "context-full": {
    title: "The prompt is too long for this model",
    still_works: `The model stays loaded. ${PAGE_KEPT}`,
    next: "run-again",
    next_label: "Run again",
  },
};

const UNKNOWN: FailureWords = {
  title: "Something went wrong that this page has no better words for",
  still_works: PAGE_KEPT,
  next: "restart-and-load",
  next_label: "Start the engine again",
};

/** Of a person's own file or address, what is otherwise than of the model that comes with the page. */
const OWN_WORDS: Record<string, FailureWords> = {
  "bad-file": {
    title: "This file cannot be used",
    still_works: `Nothing of it was kept. ${PAGE_KEPT}`,
    next: "choose-another",
    next_label: "Choose another file",
  },
  "unknown-pre-tokenizer": {
    title: "The file's pre-tokenizer is unknown here",
    still_works: PAGE_KEPT,
    next: "load-anyway",
    next_label: "Load anyway",
  },
  "file-changed": {
    title: "The file is no longer what was chosen",
    still_works: PAGE_KEPT,
    next: "choose-another",
    next_label: "Choose it again",
  },
  "bad-address": {
    title: "This address cannot be used",
    still_works: PAGE_KEPT,
    next: "choose-another",
    next_label: "Type another address",
  },
};

export function failureWords(error: EngineError, source: ModelSource["kind"] = "built-in"): FailureWords {
  const own = source === "built-in" ? undefined : OWN_WORDS[error.code];
  return own ?? WORDS[error.code] ?? UNKNOWN;
}

/** The words for a source whose header could not be read: nothing is loaded yet, so nothing goes on. */
export function choiceWords(error: EngineError, source: ModelSource["kind"]): FailureWords {
  const words = failureWords(error, source);
  const isOwn = words.next === "choose-another" || words.next === "load-anyway";
  return isOwn ? words : { ...words, next: "check-again", next_label: "Try again" };
}

/** What is wrong with an address before anybody is asked. */
export function badAddress(typed: string): EngineError {
  return {
    code: "bad-address",
    message: `“${typed.trim()}” is not an address that a model can be fetched from: only https, or a path on this site.`,
    what_to_do: "Type the address of the file itself, such as https://example.org/model.gguf.",
  };
}

/** The status line after a comparison that failed. */
export function brokenOffStatus(error: EngineError): string {
  const { title } = failureWords(error);
  return title === BROKE_OFF ? BROKE_OFF : `${BROKE_OFF}. ${title}`;
}

/** After these the engine in the worker cannot be trusted to go on. */
export function needsFreshEngine(error: EngineError): boolean {
  return failureWords(error).next === "restart-and-load";
}
