// Everything that the page says, in Korean.
import type { Messages } from "../language";
import { fixed } from "./korean/fixed";
import { link } from "./korean/link";
import { shell } from "./korean/shell";

export const korean: Messages = { language: "ko", fixed, link, shell };
