// What the one status line says, event by event.
import { format } from "./format";

export const status = {
  busy: "Another file can be chosen once what is running has ended",
  readingHeader: "Reading the file's header",
  fits: "The model fits",
  fitsNot: "The model does not fit",
  loading: "Loading the model",
  ready: "The model is ready",
  fromFirstByte: "The file is taken from its first byte again",
  download: (part: string) => `Model download: ${part}`,
  percent: (n: number) => `${n} percent`,
  started: "Comparison started",
  replaying: "The GPU went away; a new one runs the same steps once more",
  finished: "Finished, the verdict is on the page",
  stopped: "Stopped",
  fork: (number: number) => `First divergence at token ${number}`,
  identicalSoFar: (tokens: number) => `${format.tokens(tokens)}, identical so far`,
  lookingForOrigin: "Looking for the first bit that differs",
  takenApart: "Taken apart, see under Why",
  changingOrders: "Changing the order of addition site by site",
  ordersTried: (done: number, of: number) => `${done} of ${of} orders tried`,
  allOrdersTried: "The orders have been tried, see under Why",
};
