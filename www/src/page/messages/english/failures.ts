// What every failure is called, what still works, and what the button below it says. By the code of the error.

const ELSEWHERE =
  "You can read this page, and run the comparison below on the CPU. It also runs without a browser: the command " +
  "lastbit compare uses Vulkan, Metal or DirectX directly.";
const PAGE_KEPT = "Everything shown so far stays on the page, and so do your prompt and settings.";
const MODEL_STAYS = `The model stays loaded. ${PAGE_KEPT}`;
const THROWN_AWAY = `The bytes were thrown away before anything ran. ${PAGE_KEPT}`;
const OTHER_KERNELS = "Other formats or the other order use other kernels.";

export const failures = {
  whatHappened: "What happened",
  whatStillWorks: "What still works",
  whatToDo: "What to do",
  code: "Code",
  dismiss: "Dismiss",
  tryAgain: "Try again",
  /** What happened and what to do, by code, in a language that the engine does not speak; it speaks English itself. */
  inGeneral: {} as Record<string, { happened: string; to_do: string } | undefined>,

  restartBrowser: "Restart the browser, then load the model again. Fewer tokens take less of the GPU.",

  ofAny: {
    "no-webgpu": { title: "This browser has no WebGPU", still_works: ELSEWHERE, next_label: "Check again" },
    "insecure-origin": {
      title: "WebGPU is off on this address",
      still_works: ELSEWHERE,
      next_label: "Check again",
    },
    "no-adapter": { title: "No GPU was offered", still_works: ELSEWHERE, next_label: "Check again" },
    "device-refused": {
      title: "The GPU refused the request",
      still_works: ELSEWHERE,
      next_label: "Start the GPU again",
    },
    "device-lost": {
      title: "The GPU went away",
      still_works: PAGE_KEPT,
      next_label: "Start the GPU and load the model again",
    },
    "device-gone": {
      title: "The GPU went away twice",
      still_works: PAGE_KEPT,
      next_label: "Start the GPU and load the model again",
    },
    "engine-crashed": {
      title: "The engine broke down",
      still_works: PAGE_KEPT,
      next_label: "Start the engine and load the model again",
    },
    "out-of-memory": {
      title: "Not enough GPU memory",
      still_works: `${PAGE_KEPT} The int8 and float formats need half the cache of f32, and fewer tokens need less still.`,
      next_label: "Start the GPU and load the model again",
    },
    "shader-failed": {
      title: "A kernel did not compile on this device",
      still_works: `${PAGE_KEPT} ${OTHER_KERNELS}`,
      next_label: "Load again with the settings below",
    },
    "self-test-failed": {
      title: "A kernel computes wrong numbers on this device",
      still_works: `Nothing was run with it, so nothing wrong is shown. ${PAGE_KEPT} ${OTHER_KERNELS}`,
      next_label: "Load again with the settings below",
    },
    "hash-mismatch": {
      title: "The file that arrived is not the model",
      still_works: THROWN_AWAY,
      next_label: "Download it again",
    },
    "bad-file": {
      title: "The model file cannot be read",
      still_works: THROWN_AWAY,
      next_label: "Download it again",
    },
    "download-cut": {
      title: "The download broke off",
      still_works: "The part that arrived is kept; the next try goes on from there.",
      next_label: "Continue the download",
    },
    "download-cancelled": {
      title: "Download stopped",
      still_works: "The part that arrived is kept; the next try goes on from there.",
      next_label: "Continue the download",
    },
    "download-http": {
      title: "The server does not give the file",
      still_works: PAGE_KEPT,
      next_label: "Try the download again",
    },
    "download-network": {
      title: "The model could not be fetched",
      still_works: "The part that arrived, if any, is kept; the next try goes on from there.",
      next_label: "Try the download again",
    },
    "bad-request": {
      title: "These settings cannot be run",
      still_works: MODEL_STAYS,
      next_label: "Run again",
    },
    "run-failed": { title: "The comparison broke off", still_works: MODEL_STAYS, next_label: "Run again" },
    "context-full": {
      title: "The prompt is too long for this model",
      still_works: MODEL_STAYS,
      next_label: "Run again",
    },
    unknown: {
      title: "Something went wrong that this page has no better words for",
      still_works: PAGE_KEPT,
      next_label: "Start the engine again",
    },
  },

  /** Of a person's own file or address, what is otherwise than of the model that comes with the page. */
  ofOwn: {
    "bad-file": {
      title: "This file cannot be used",
      still_works: `Nothing of it was kept. ${PAGE_KEPT}`,
      next_label: "Choose another file",
    },
    "unknown-pre-tokenizer": {
      title: "The file's pre-tokenizer is unknown here",
      still_works: PAGE_KEPT,
      next_label: "Load anyway",
    },
    "file-changed": {
      title: "The file is no longer what was chosen",
      still_works: PAGE_KEPT,
      next_label: "Choose it again",
    },
    "bad-address": {
      title: "This address cannot be used",
      still_works: PAGE_KEPT,
      next_label: "Type another address",
    },
  },

  badAddress: (typed: string) =>
    `“${typed}” is not an address that a model can be fetched from: only https, or a path on this site.`,
  addressWithPassword:
    "The address holds a name or a password. A browser sends neither, and this page keeps none: nobody was asked.",
  typeAddress: "Type the address of the file itself, such as https://example.org/model.gguf.",
};
