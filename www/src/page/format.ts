// Numbers and tokens as the page prints them. Pure.

const MINUS = "\u2212";

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

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** 1 → "1 token", 2 → "2 tokens". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/**
 * Indices from 0, ascending, as people number tokens: [0, 1, 2, 6] → "tokens 1–3 and 7". Many separate
 * stretches become a count.
 */
export function tokenNumbers(indices: readonly number[]): string {
  const stretches: [number, number][] = [];
  for (const index of indices) {
    const last = stretches.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else stretches.push([index, index]);
  }
  const words = stretches.map(([from, to]) => (from === to ? `${from + 1}` : `${from + 1}–${to + 1}`));
  if (words.length > MOST_STRETCHES) {
    return `${indices.length} tokens, the first of them token ${(indices[0] ?? 0) + 1}`;
  }
  const last = words.pop() ?? "";
  const list = words.length > 0 ? `${words.join(", ")} and ${last}` : last;
  return `${indices.length === 1 ? "token" : "tokens"} ${list}`;
}

const MOST_STRETCHES = 4;

/** 840 → "840 ms", 2345 → "2.3 s", 65000 → "1 min 5 s". */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The line under the download bar: bytes, rate and time left once there is a rate. `total` is null where unknown. */
export function downloadLine(
  received: number,
  total: number | null,
  elapsedMs: number,
  receivedBefore = 0,
): string {
  const line = total === null ? megabytes(received) : `${(received / 1e6).toFixed(1)} of ${megabytes(total)}`;
  const bytesPerMs = (received - receivedBefore) / elapsedMs;
  if (elapsedMs < 300 || !(bytesPerMs > 0)) return line;
  if (total === null) return `${line} · ${megabytes(bytesPerMs * 1000)}/s`;
  const left = Math.ceil((total - received) / bytesPerMs / 1000);
  return `${line} · ${megabytes(bytesPerMs * 1000)}/s · ${left === 0 ? "almost done" : `${count(left)} s left`}`;
}

/** A difference of logits, with its sign and always three digits: 0.038 → "+0.0380", 0 → "0". */
export function signed(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const digits = size >= SHORTEST_PLAIN && size < 1000 ? size.toPrecision(3) : threeDigits(size);
  return `${value > 0 ? "+" : MINUS}${digits}`;
}

/** A margin, never negative: three significant digits, as short as they can be written. */
export function margin(value: number): string {
  return value === 0 ? "0" : threeDigits(value);
}

/** Below this, digits behind a power of ten are easier to read than zeros behind a point. */
const SHORTEST_PLAIN = 1e-5;

function threeDigits(value: number): string {
  if (value >= SHORTEST_PLAIN) return String(Number(value.toPrecision(3)));
  const [digits = "0", exponent = "0"] = value.toExponential(2).split("e");
  return `${digits}e${exponent.replace("-", MINUS)}`;
}

/** A token as a person can see it: spaces and line ends at its edges become marks. */
export function visibleToken(text: string): string {
  if (text === "") return "(empty)";
  const marked = text.replace(/\n/g, "↵").replace(/\t/g, "⇥");
  return marked.replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length));
}

/** A token inside a sentence: in quotation marks, without its leading space. */
export function quotedToken(text: string): string {
  const bare = text.replace(/^ /, "");
  return `“${visibleToken(bare === "" ? text : bare)}”`;
}
