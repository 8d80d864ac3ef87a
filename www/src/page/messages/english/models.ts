// Models: what is kept in this browser, and what a load does with it.
import { bytes } from "../../format";

const room = (needs: number | null, free: number | null) => {
  const needed = needs === null ? "" : ` The model needs ${bytes(needs)}`;
  // Past the quota the browser may still tell of room.
  const isPlausible = free !== null && (needs === null || free < needs);
  if (!isPlausible) return needed === "" ? "" : `${needed}.`;
  return needed === ""
    ? ` ${bytes(Math.max(0, free))} are free.`
    : `${needed}, ${bytes(Math.max(0, free))} are free.`;
};

export const models = {
  another: "Another model",
  loaded: (title: string) => `${title} is loaded.`,
  toRun: "To the comparison",

  builtIn: "Comes with this page, and is the one that the page's own tests use.",
  licence: "Licence",
  builtInLicence: "Apache-2.0, as the file itself says; by HuggingFaceTB",
  state: "In this browser",
  notKeptYet: "nothing yet",
  isLoaded: "Loaded",
  download: (size: string) => `Download and load · ${size}`,
  downloadAgain: "Download again",
  loadKept: "Load from this browser",
  resume: (have: string, total: string | null) =>
    total === null ? `Resume · ${have} are here` : `Resume · ${have} of ${total} are here`,
  remove: (title: string) => `Delete ${title}`,
  deleted: "Deleted, the space is free again",
  inUse: "It is being read or written, here or in another tab. Try again when that has ended.",
  needsProcessor: "There is no GPU here. The CPU can take its place: slow, same arithmetic.",
  useCpu: "Use the CPU",

  storedHeading: "Kept in this browser",
  unnamed: (id: string) => `Unknown model ${id}`,
  verified: (when: string) => `whole, its hash was right on ${when}`,
  incomplete: (n_bytes: string) => `incomplete: the first ${n_bytes} bytes`,
  incompleteParts: (n_bytes: string, count: number) =>
    `incomplete: ${n_bytes} bytes of ${count} parts are here`,
  hashOfPart: (number: number) => `SHA-256 of part ${number}`,
  gone: "gone: the browser has cleared it, or a part of it",
  needsCheck: (size: string) =>
    `needs a check: its record is damaged, missing, or of a newer version of this page (${size})`,
  nothingKept: "No model is kept here yet. Those that come over the network are, once they have been loaded.",
  noStorage:
    "This browser stores no files in this window: a private window, perhaps, or an address without https. Everything works all the same; only the next visit downloads again.",
  room: (size: string) => `Models take ${size}.`,
  ofQuota: (used: string, quota: string) =>
    `The whole site takes ${used} of the ${quota} that the browser allows, by the browser's own estimate.`,
  roomLabel: "Storage used by this site",
  persistent: "The browser keeps this until you delete it.",
  mayBeCleared: "The browser may clear this when space is short; a model is then downloaded again.",
  offlineHeading: "Without a network",
  offline: {
    nothing: "The page needs the network in this browser.",
    reading:
      "The first view and the recorded run open without a network. The other views and the engines are kept once you have used an engine, or at once:",
    views:
      "All views open without a network; what they compute needs the engines. Those are kept once you have used one, or at once:",
    everything:
      "All views and the engines open without a network. A comparison then also needs a model that is kept above, or a file of yours.",
  },
  keepOffline: "Keep for offline",
  partMissing: "This part of the page is not kept in this browser, and there is no network.",
  partReplaced: "There is a new version of this page, and this part of the old one is gone. Reload to go on.",
  newVersion: "A new version of this page is ready.",
  heldUp: "Another tab still shows the old version. Close it first.",
  reload: "Reload",
  whatIsWhere: "What is kept where",
  places: [
    "Models that were downloaded: in this site's own files (OPFS), not among your documents.",
    "Language, colours and shortcuts: in this browser's local storage.",
    "The page itself, so that it opens offline: in this browser's cache.",
    "Files you choose yourself stay where they are; no copy is made.",
    "The prompt and the settings of Run, so that a reload does not lose them: in this tab alone, until it is closed.",
    "Nothing else: no answer and no result is stored, and nothing is sent.",
  ],

  fromStorage: "It comes from this browser's storage; no server is asked.",
  continued: (n: number) => `${bytes(n)} were kept from an earlier visit; only the rest is downloaded.`,
  kept: "The model is kept in this browser for the next visit.",
  notKept: {
    "no-storage": () =>
      "This browser stores no files in this window, so the model is not kept: the next visit downloads it again.",
    "other-tab": () => "Another tab of this page is at this model, so this one does not keep it.",
    full: (needs: number | null, free: number | null) =>
      `This browser's storage is full, so the model is not kept whole.${room(needs, free)} It loads all the same.`,
    "needs-check": () =>
      "The record of this model in this browser cannot be read, so nothing is kept over it. Delete it to start anew.",
  },
};
