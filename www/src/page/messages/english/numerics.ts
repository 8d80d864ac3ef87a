// How it is computed: order of addition, formats, length.
export const numerics = {
  heading: "Arithmetic",
  order: "Order of addition",
  orders: { "by-shape": "By shape", invariant: "Invariant" },
  orderHints: {
    "by-shape":
      "A few rows of numbers take one routine, many rows another, and each adds in its own order. That is what fast engines do.",
    invariant:
      "One order of addition, however many rows there are. Cold and warm must then agree bit for bit; it costs some speed.",
  },
  formats: "Formats",
  formatNames: { int8: "int8", float: "float", half: "half", f32: "f32" },
  formatHints: {
    int8: "Values between the layers in 8 bits, the cache in 16: usual for models with packed weights, and forks are common.",
    float:
      "Values and sums in 32 bits, the cache in 16: finer, so differences are smaller and forks are rarer.",
    half: "Values, sums and cache in 16 bits, as engines with half precision compute. The sums are emulated here, which is slow.",
    f32: "Values, sums and cache in 32 bits: the finest this page offers. The order still shows in the last bits.",
  },
  maxTokens: "Tokens per run, at most",
  more: "More settings",
  sentAs: "Prompt is sent as",
  sentAsNames: { chat: "Chat message", complete: "Text to continue" },
  before: "Run these before the warm run, one a line",
  beforeHint: "They share the cache with the warm run, as other people's requests do on a server.",
  template: "Chat template",
  defaultTemplate: "The file's default",
  noTemplate: "none: the model continues a text",
  knownTemplates: "Known layouts, not from this file",
};
