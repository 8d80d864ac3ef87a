// In which measures the caches' difference is shown: numbers for the cells, and from which number on a cell gets which colour.
import type { KvMapSide } from "../shared/engine-records";

export type HeatMetric = "steps" | "share" | "relative_l2";

export const HEAT_METRICS: readonly HeatMetric[] = ["steps", "share", "relative_l2"];

/** The first number of each colour but the first, which every smaller difference has. */
export const BOUNDS: Readonly<Record<HeatMetric, readonly number[]>> = {
  steps: [2, 4, 16, 64, 256],
  share: [0.05, 0.1, 0.25, 0.5, 0.75],
  relative_l2: [1e-5, 1e-4, 1e-3, 1e-2, 1e-1],
};

/** The numbers of a metric. // [layer][position] */
export function valuesOf(side: KvMapSide, metric: HeatMetric): readonly (readonly number[])[] {
  if (metric === "share") return side.share;
  return metric === "steps" ? side.largest_steps : side.relative_l2;
}

/** Colours of the cells, from 0; null where every bit is equal, whatever the metric makes of that. // [layer][position] */
export function levelsOf(side: KvMapSide, metric: HeatMetric): (number | null)[][] {
  const bounds = BOUNDS[metric];
  return valuesOf(side, metric).map((row, layer) =>
    row.map((value, position) => {
      if (side.largest_steps[layer]?.[position] === 0) return null;
      return bounds.filter((from) => value >= from).length;
    }),
  );
}
