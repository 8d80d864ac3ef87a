// In which measures the caches' difference is shown: numbers for the cells, and from which number on a cell gets which colour.
import type { KvMapSide } from "../shared/engine-records";

export type HeatMetric = "steps" | "share" | "relative_l2";

export const HEAT_METRICS: readonly HeatMetric[] = ["steps", "share", "relative_l2"];

interface Maps {
  k: KvMapSide;
  v: KvMapSide;
}

/** From the distance between two numbers of f16 that are of one size, a few, up to numbers of different signs, thousands. */
const NEAR: readonly number[] = [2, 4, 16, 64, 256];
const FIRST_FAR = 1024;
const SHARES: readonly number[] = [0.05, 0.1, 0.25, 0.5, 0.75];
const N_BOUNDS = 5;

/**
 * The first number of each colour but the first, which every smaller difference has: round numbers up to the largest there is, so
 * that the colours are used. The same for keys and values. Pure.
 */
export function boundsOf({ k, v }: Maps, metric: HeatMetric): readonly number[] {
  if (metric === "share") return SHARES;
  const largest = Math.max(...[k, v].flatMap((side) => valuesOf(side, metric).flat()));
  if (metric === "steps") {
    if (largest < FIRST_FAR) return NEAR;
    const last = 2 ** Math.floor(Math.log2(largest));
    return [16, 8, 4, 2, 1].map((divisor) => last / divisor);
  }
  const top = largest > 0 ? largest : 1;
  const decade = Math.floor(Math.log10(top));
  const round = [decade - 2, decade - 1, decade].flatMap((power) =>
    [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
  );
  return round.filter((number) => number <= top).slice(-N_BOUNDS);
}

/** The numbers of a metric. // [layer][position] */
export function valuesOf(side: KvMapSide, metric: HeatMetric): readonly (readonly number[])[] {
  if (metric === "share") return side.share;
  return metric === "steps" ? side.largest_steps : side.relative_l2;
}

/** Colours of the cells, from 0; null where every bit is equal, whatever the metric makes of that. // [layer][position] */
export function levelsOf(
  side: KvMapSide,
  metric: HeatMetric,
  bounds: readonly number[],
): (number | null)[][] {
  return valuesOf(side, metric).map((row, layer) =>
    row.map((value, position) => {
      if (side.largest_steps[layer]?.[position] === 0) return null;
      return bounds.filter((from) => value >= from).length;
    }),
  );
}
