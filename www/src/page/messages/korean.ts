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
import { models } from "./korean/models";
import { numerics } from "./korean/numerics";
import { prompt } from "./korean/prompt";
import { prompts } from "./korean/prompts";
import { result } from "./korean/result";
import { run } from "./korean/run";
import { scan } from "./korean/scan";
import { shell } from "./korean/shell";
import { shortcuts } from "./korean/shortcuts";
import { status } from "./korean/status";
import { verdict } from "./korean/verdict";

export const korean: Messages = {
  language: "ko",
  fixed,
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
