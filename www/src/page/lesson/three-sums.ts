// Three numbers, their two bracketings, and the formats they are added in. Pure.
import type { SumFormat, Tree } from "../../shared/engine-records";
import { number } from "./numbers";

export const FORMATS: readonly SumFormat[] = ["f16", "bf16", "f32"];

/** From here on a format has room for every second whole number only. */
export const LARGE: Record<SumFormat, number> = { f16: 2048, bf16: 256, f32: 16_777_216 };

export type Brackets = "left" | "right";
export const BRACKETS: Record<Brackets, Tree> = { left: [[0, 1], 2], right: [0, [1, 2]] };

/** For any large number. */
export const SUM_NAMES: Record<Brackets, string> = { left: "(a + 1) + 1", right: "a + (1 + 1)" };

export function sumWords(large: string, brackets: Brackets): string {
  return SUM_NAMES[brackets].replace("a", large);
}

export function rowName(format: SumFormat, language: string): string {
  return `${format}, a = ${number(LARGE[format], language)}`;
}
