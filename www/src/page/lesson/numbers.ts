// Numbers of the lesson as the page prints them: all their digits, for they are what it is about, and 2048 as teachers write it. Pure.

const MINUS = "\u2212";
const FRACTIONS: Record<string, string> = { "0.5": "½", "0.25": "¼" };

/** Every digit of a number that short decimals can say; others as a power of ten. */
export function number(value: number, language: string): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-6 && size < 1e16);
  const digits = isPlain
    ? size.toLocaleString(language, { maximumSignificantDigits: 17, useGrouping: "min2" })
    : size.toExponential(6).replace("-", MINUS);
  return value < 0 ? `${MINUS}${digits}` : digits;
}

/** A number of a row of numbers, as short as can be: halves and quarters as one sign. */
export function leaf(value: number, language: string): string {
  const sign = value < 0 ? MINUS : "";
  const short = FRACTIONS[String(Math.abs(value))];
  return short === undefined ? number(value, language) : `${sign}${short}`;
}

/** 2 to a power: as a whole number, as a fraction, or as a power. */
export function powerOfTwo(exponent: number, language: string): string {
  if (exponent >= 0 && exponent <= 40) return number(2 ** exponent, language);
  if (exponent < 0 && exponent >= -30) return `1/${number(2 ** -exponent, language)}`;
  return `2^${exponent < 0 ? MINUS : ""}${Math.abs(exponent)}`;
}

/** Which of `count` bits differ, the first bit of the number first. */
export function changedBits(bits: number, others: number, count: number): boolean[] {
  return Array.from({ length: count }, (_, index) => (((bits ^ others) >>> (count - 1 - index)) & 1) === 1);
}

/** How many numbers of a format lie between two of one sign, by their bits. */
export function stepsBetween(bits: number, others: number): number {
  return Math.abs((bits >>> 0) - (others >>> 0));
}

export function hexadecimal(bits: number, count: number): string {
  return (bits >>> 0)
    .toString(16)
    .toUpperCase()
    .padStart(count / 4, "0");
}
