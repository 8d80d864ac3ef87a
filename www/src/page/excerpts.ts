// The answers of a comparison around one place, short enough to stand beside those of another comparison. Pure.
import type { Comparison } from "../shared/engine-records";
import { visibleToken } from "./format";
import type { RunLog } from "./run-log";

const TOKENS_BEFORE = 8;
const TOKENS_BEHIND = 24;

/** One answer, or both where they are one. */
export interface Excerpt {
  whose: "cold" | "warm" | "both";
  /** Whether text was left out before and behind. */
  isCut: { before: boolean; behind: boolean };
  before: string;
  /** The token at the place, and its number, counted from one. */
  token: string;
  number: number;
  behind: string;
}

/** Around token `at`: cold's and warm's answers where they fork, one where they have the same tokens, none where nothing can be said. */
export function excerptsOf({ verdict, fork }: Comparison, log: RunLog, at: number): Excerpt[] {
  const sides = {
    forked: ["cold", "warm"],
    tie: ["cold", "warm"],
    "bit-identical": ["both"],
    "same-tokens": ["both"],
  } as const;
  if (!(verdict in sides)) return [];
  const place = fork?.index ?? at;
  return sides[verdict as keyof typeof sides].flatMap((whose) => {
    const tokens = log.get(whose === "warm" ? "warm" : "cold-a")?.tokens ?? [];
    const token = tokens[place];
    if (token === undefined) return [];
    const [from, to] = [Math.max(0, place - TOKENS_BEFORE), place + 1 + TOKENS_BEHIND];
    const textOf = (start: number, end: number) =>
      tokens
        .slice(start, end)
        .map(({ piece }) => piece)
        .join("");
    const bare = token.text.trim();
    return {
      whose,
      isCut: { before: from > 0, behind: to < tokens.length },
      before: textOf(from, place) + (/^\s/.test(token.text) ? " " : ""),
      token: bare === "" ? visibleToken(token.text) : bare,
      number: place + 1,
      behind: (/\s$/.test(token.text) ? " " : "") + textOf(place + 1, to),
    };
  });
}
