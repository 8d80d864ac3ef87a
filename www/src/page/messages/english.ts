// Everything that the page says, in English; the type of every other catalogue. One part per subject.
import { bar } from "./english/bar";
import { choice } from "./english/choice";
import { cursor } from "./english/cursor";
import { failures } from "./english/failures";
import { figures } from "./english/figures";
import { format } from "./english/format";
import { link } from "./english/link";
import { load } from "./english/load";
import { models } from "./english/models";
import { numerics } from "./english/numerics";
import { prompt } from "./english/prompt";
import { prompts } from "./english/prompts";
import { result } from "./english/result";
import { run } from "./english/run";
import { scan } from "./english/scan";
import { shell } from "./english/shell";
import { shortcuts } from "./english/shortcuts";
import { status } from "./english/status";
import { verdict } from "./english/verdict";

export const english = {
  language: "en",
  /** Words in index.html, by their data-message: English stands there itself. */
  fixed: {} as Record<string, string>,
  bar,
  choice,
  cursor,
  failures,
  figures,
  format,
  link,
  load,
  models,
  numerics,
  prompt,
  prompts,
  result,
  run,
  scan,
  shell,
  shortcuts,
  status,
  verdict,
};
