// Numbers with their words, in English.
import { count, stretchesOf, timeOf } from "../../format";

/** 1 → "1 token", 2 → "2 tokens". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

const MOST_STRETCHES = 4;

export const format = {
  tokens: (n: number) => plural(n, "token"),
  token: (number: number) => `token ${number}`,

  /** 840 → "840 ms", 2345 → "2.3 s", 65000 → "1 min 5 s". */
  duration: (ms: number) => {
    const time = timeOf(ms);
    switch (time.unit) {
      case "ms":
        return `${time.value} ms`;
      case "s":
        return `${time.value} s`;
      case "min":
        return `${time.value} min ${time.seconds} s`;
    }
  },

  /**
   * Indices from 0, ascending, as people number tokens: [0, 1, 2, 6] → "tokens 1–3 and 7". Many separate
   * stretches become a count.
   */
  tokenNumbers: (indices: readonly number[]) => {
    const words = stretchesOf(indices);
    if (words.length > MOST_STRETCHES) {
      return `${count(indices.length)} tokens, the first of them token ${(indices[0] ?? 0) + 1}`;
    }
    const last = words.pop() ?? "";
    const list = words.length > 0 ? `${words.join(", ")} and ${last}` : last;
    return `${indices.length === 1 ? "token" : "tokens"} ${list}`;
  },

  /** 134515008 → "134.5 million". */
  parameters: (n: number) => {
    if (n >= 1e9) return `${(n / 1e9).toFixed(2)} billion`;
    return n >= 1e6 ? `${(n / 1e6).toFixed(1)} million` : `${Math.round(n / 1e3)} thousand`;
  },
};
