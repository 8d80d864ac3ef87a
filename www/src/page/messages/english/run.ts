// The bar that starts and stops a comparison.
export const run = {
  stop: "Stop",
  stopping: "Stopping …",
  stopKeeps: "What is there stays when you stop.",
  start: "Run cold, cold, warm",
  loadAndStart: (size: string) => `Load ${size} and run`,
  loadKeptAndStart: "Load the kept model and run",
  what: "Two runs from an empty cache, then one that reuses it. They may fork, they may not.",

  /** Why nothing can be run now. */
  notNow: {
    lookingForGpu: "Looking for a GPU first.",
    noGpu: "There is no GPU; see above for what to do, and for the CPU.",
    readingHeader: "The file's header is being read.",
    loading: "The model is loading.",
    doesNotFit: "The chosen model does not fit this device.",
    noMessage: "Write a message first.",
  },
};
