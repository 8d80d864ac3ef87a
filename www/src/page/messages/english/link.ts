// Links that set the page up.
export const link = {
  copy: "Copy link",
  copied: "The link is copied. It holds the inputs, never results.",
  copyByHand: "The browser does not let this page copy. The link, to copy by hand:",
  ownFileLeftOut: "Your own file is not in the link: whoever opens it chooses a model.",
  opened:
    "Set up by a link: the prompt and the settings are those of the link. Nothing has run, and nothing was downloaded.",
  ignored: (names: string) => `Not understood, and left out: ${names}.`,
  wantsModel: (url: string) => `The link was made with the model at ${url}.`,
  readModel: "Read its header",
  tooLong: "The texts are too long for a link: it holds 64 KiB. Nothing was copied.",
  noSuchView: (name: string) => `There is no view “${name}” here. This is Run.`,
  modelRefused: "The link names a model at an address that this page fetches nothing from.",
  dismiss: "Close",
};
