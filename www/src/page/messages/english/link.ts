// Links that set the page up.
export const link = {
  copy: "Copy link",
  copied: "The link is copied. It holds the inputs, never results.",
  copyByHand: "The browser does not let this page copy. The link, to copy by hand:",
  ownFileLeftOut: "Your own file is not in the link: whoever opens it chooses a model.",
  opened: "Set up by a link. Nothing has run, and nothing was downloaded.",
  ignored: (names: string) => `Not understood, and left out: ${names}.`,
  wantsModel: (url: string) => `The link was made with the model at ${url}.`,
  readModel: "Read its header",
  dismiss: "Close",
};
