// Everything that the page says, in Korean.
import type { Messages } from "../language";
import { bar } from "./korean/bar";
import { choice } from "./korean/choice";
import { cursor } from "./korean/cursor";
import { failures } from "./korean/failures";
import { figures } from "./korean/figures";
import { fixed } from "./korean/fixed";
import { format } from "./korean/format";
import { link } from "./korean/link";
import { load } from "./korean/load";
import { prompts } from "./korean/prompts";
import { scan } from "./korean/scan";
import { shell } from "./korean/shell";
import { shortcuts } from "./korean/shortcuts";

export const korean: Messages = {
  language: "ko",
  bar,
  choice,
  cursor,
  failures,
  figures,
  fixed,
  format,
  link,
  load,
  prompts,
  scan,
  shell,
  shortcuts,
};
