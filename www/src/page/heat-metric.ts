// In which measures the caches' difference is shown: numbers for the cells, and from which number on a cell gets which colour.
import type { KvMapSide } from "../shared/engine-records";

export type HeatMetric = "steps" | "share" | "relative_l2";

export const HEAT_METRICS: readonly HeatMetric[] = ["steps", "share", "relative_l2"];

interface Maps {
  k: KvMapSide;
  v: KvMapSide;
}

/** Powers of two where the first three colours end: one step, a few, and numbers of one size are told apart however far others are. */
const NEAR = [1, 2, 4] as const;
/** The last colour begins at no less. */
const LEAST_FAR = 8;
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
    const far = Math.max(LEAST_FAR, Math.floor(Math.log2(largest)));
    const between = Math.round((NEAR[2] + far) / 2);
    return [...NEAR, between, far].map((power) => 2 ** power);
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
