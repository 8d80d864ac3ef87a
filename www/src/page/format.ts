// Numbers and tokens as the page prints them, without words: those are in the catalogue (messages/*/format.ts).
import { computed, signal } from "@preact/signals";

const MINUS = "\u2212";

/** The language that numbers are written in; language.ts sets it with the words. */
export const locale = signal("en");
const whole = computed(() => new Intl.NumberFormat(locale.value));

/** 98362432 → "98.4 MB". Decimal megabytes, as download sizes are told everywhere. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Sizes of GPU limits, in powers of two: 134217728 → "128 MiB". */
export function binarySize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const rounded = Number.isInteger(value) ? String(value) : value.toFixed(1);
  return `${rounded} ${units[unit]}`;
}

/** 98362432 → "98.4 MB", 2100000 → "2.1 MB", 300 → "0.3 kB": the unit that suits the size. */
export function bytes(value: number): string {
  if (value < 1e6) return `${(value / 1e3).toFixed(1)} kB`;
  return value < 1e9 ? megabytes(value) : `${(value / 1e9).toFixed(2)} GB`;
}

/** 1234 → "1,234". */
export function count(value: number): string {
  return whole.value.format(value);
}

/** Indices from 0, ascending, as stretches of numbers from 1: [0, 1, 2, 6] → "1–3", "7". */
export function stretchesOf(indices: readonly number[]): string[] {
  const stretches: [number, number][] = [];
  for (const index of indices) {
    const last = stretches.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else stretches.push([index, index]);
  }
  return stretches.map(([from, to]) => (from === to ? `${from + 1}` : `${from + 1}–${to + 1}`));
}

/** A time in the unit that suits it, rounded as it is printed. */
export type Time =
  | { unit: "ms"; value: string }
  | { unit: "s"; value: string }
  | { unit: "min"; value: number; seconds: number };

export function timeOf(ms: number): Time {
  if (ms < 999.5) return { unit: "ms", value: `${Math.round(ms)}` };
  const seconds = ms / 1000;
  if (seconds < 59.95) return { unit: "s", value: seconds.toFixed(1) };
  const rounded = Math.round(seconds);
  return { unit: "min", value: Math.floor(rounded / 60), seconds: rounded % 60 };
}

/** A difference of logits, with its sign and always three digits: 0.038 → "+0.0380", 0 → "0". */
export function signed(value: number): string {
  if (value === 0) return "0";
  return `${value > 0 ? "+" : MINUS}${margin(Math.abs(value))}`;
}

/** A number with all its digits. */
export function plain(value: number): string {
  return String(value).replaceAll("-", MINUS);
}

/** The size of such a difference, never negative, in the same digits: 0.038 → "0.0380", 0 → "0". */
export function margin(value: number): string {
  if (value === 0) return "0";
  if (value >= 999.5) return String(Number(value.toPrecision(3)));
  if (value >= SHORTEST_PLAIN) return value.toPrecision(3);
  const [digits = "0", exponent = "0"] = value.toExponential(2).split("e");
  return `${digits}e${exponent.replace("-", MINUS)}`;
}

/** Below this, digits behind a power of ten are easier to read than zeros behind a point. */
const SHORTEST_PLAIN = 1e-5;

/** A text of anybody's length in a place of ours: its beginning and its end. */
export function shortened(text: string, most = 160): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}

/** A token as a person can see it: spaces and line ends at its edges become marks, and so does one without any text. */
export function visibleToken(text: string): string {
  if (text === "") return "∅";
  const marked = text.replace(/\n/g, "↵").replace(/\t/g, "⇥");
  return marked.replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length));
}

/** A token inside a sentence: in quotation marks, without its leading space. */
export function quotedToken(text: string): string {
  const bare = text.replace(/^ /, "");
  return `“${visibleToken(bare === "" ? text : bare)}”`;
}
