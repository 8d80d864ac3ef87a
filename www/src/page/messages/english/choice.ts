// Another model: the ways to it, what its header says, and whether it fits.
import type { Fit } from "../../../shared/engine-records";
import { bytes, count } from "../../format";

export const choice = {
  summary: "Another model: a GGUF file of yours, or an address",
  goBackTo: (title: string) => `Go back to ${title}`,
  file: "GGUF file, or all parts of one",
  fileHint:
    "Or drop it anywhere on this page. It is read from the disk and goes nowhere else. Parts are named …-00001-of-00003.gguf.",
  drop: "Drop the GGUF file here, or all parts of one",
  address: "Address of a GGUF file",
  addressHint:
    "Only that host is asked, without cookies. First the header is fetched, and you see whether the model fits. The address of one part, …-00002-of-00003.gguf, stands for all.",
  checkAddress: "Check the address",
  yourFile: "your file",

  readingHeader: (file: string) => `Reading the header of ${file} …`,
  cancel: "Cancel",
  staysLoaded: (title: string) => `${title} stays loaded and can be run as before.`,
  builtInRemains: (title: string) => `Nothing was loaded, and ${title}, which comes with this page, can be.`,

  fits: "Yes, it fits.",
  fitsNot: "No, it does not fit.",
  memory: (fit: Fit) =>
    `Its weights take ${bytes(fit.weights_bytes)}, and keys and values, what it keeps of a text, ` +
    `${bytes(fit.cache_bytes)} for ${count(fit.cache_positions)} positions: ${bytes(fit.total_bytes)} in all, ` +
    `${fit.memory_fits ? "within" : "more than"} the budget of ${bytes(fit.budget_bytes)}.`,
  binding: (fit: Fit, limit: number) =>
    `The largest piece that a kernel must see at once, ${fit.largest_binding} with ${bytes(fit.largest_binding_bytes)}, ` +
    `is ${fit.binding_fits ? "within" : "more than"} this device's limit of ${bytes(limit)}.`,
  loadedAnyway: (pre_tokenizer: string | null, rule: string | null) =>
    `Its pre-tokenizer, ${pre_tokenizer ?? "not named"}, is unknown here. You chose to load it anyway, with the rule ${rule ?? "of none"}: ` +
    "the model may read other tokens than it was trained with.",
  load: (size: string) => `Load · ${size}`,
  loadAllTheSame: (size: string) => `Load it all the same · ${size}`,
  smaller: "Choose a smaller model, or one in a format of fewer bits.",

  files: (n: number) => `Files, ${n} parts`,
  parameters: "Parameters",
  sizeNotTold: "not told by the server",
  notes: "It runs without what this engine does not read of its header:",
  noLicence: "the file names none",
  surplus: "Behind the model",
  ignored: (n: number) => `${count(n)} bytes, ignored`,
  comesFrom: "Comes from",
  tableCaption: (formats: string) => `Keys and values, formats ${formats}`,
  context: "Context",
  keysAndValues: "Keys and values",
  withWeights: "With weights",
  fit: "Fits",
  yes: "yes",
  no: "no",
};
