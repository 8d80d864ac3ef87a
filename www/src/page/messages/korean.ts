// Everything that the page says, in Korean.
import type { Messages } from "../language";
import { bar } from "./korean/bar";
import { cursor } from "./korean/cursor";
import { figures } from "./korean/figures";
import { fixed } from "./korean/fixed";
import { link } from "./korean/link";
import { shell } from "./korean/shell";
import { shortcuts } from "./korean/shortcuts";

export const korean: Messages = { language: "ko", bar, cursor, figures, fixed, link, shell, shortcuts };
