// Everything that the page says, in English; the type of every other catalogue. One part per view.
import { bar } from "./english/bar";
import { cursor } from "./english/cursor";
import { figures } from "./english/figures";
import { link } from "./english/link";
import { shell } from "./english/shell";
import { shortcuts } from "./english/shortcuts";

export const english = {
  language: "en",
  /** Words in index.html, by their data-message: English stands there itself. */
  fixed: {} as Record<string, string>,
  bar,
  cursor,
  figures,
  link,
  shell,
  shortcuts,
};
