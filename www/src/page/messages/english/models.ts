// Models: what is kept in this browser, and what a load does with it.
import { bytes } from "../../format";

const room = (needs: number | null, free: number | null) => {
  const needed = needs === null ? "" : ` The model needs ${bytes(needs)}`;
  if (free === null) return needed === "" ? "" : `${needed}.`;
  return needed === ""
    ? ` ${bytes(Math.max(0, free))} are free.`
    : `${needed}, ${bytes(Math.max(0, free))} are free.`;
};

export const models = {
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
