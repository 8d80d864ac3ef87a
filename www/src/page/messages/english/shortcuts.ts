// The list of shortcuts.
export const shortcuts = {
  title: "Keyboard shortcuts",
  run: "Run cold, cold, warm",
  runFromField: "The same, from a message, once the model is loaded",
  stop: "Stop what is running",
  fork: "Go to the fork",
  why: "Take the comparison apart",
  arrows: "On the slider: one token back or on, in both answers",
  help: "Show this list",
  switch: "Shortcuts of one letter",
  close: "Close",
};
