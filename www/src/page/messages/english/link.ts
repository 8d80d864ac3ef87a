// Links that set the page up.
export const link = {
  copy: "Copy link",
  copied: "The link is copied. It holds the inputs, never results.",
  copy_by_hand: "The browser does not let this page copy. The link, to copy by hand:",
  own_file_left_out: "Your own file is not in the link: whoever opens it chooses a model.",
  opened: "Set up by a link. Nothing has run, and nothing was downloaded.",
  ignored: (names: string) => `Not understood, and left out: ${names}.`,
  wants_model: (url: string) => `The link was made with the model at ${url}.`,
  read_model: "Read its header",
  dismiss: "Close",
};
