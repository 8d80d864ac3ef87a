// The heat map's cells and colours in words.
import type { KvMapSide } from "../shared/engine-records";
import type { HeatMetric } from "./heat-metric";
import type { Cell } from "./heat-plate";
import { whyWords } from "./why-words";

/** Everything that is known of a cell. */
export function cellWords(side: KvMapSide, { layer, position }: Cell, unit: string): string {
  const { heat } = whyWords.value;
  const steps = side.largest_steps[layer]?.[position] ?? 0;
  if (steps === 0) return heat.everyBitEqual;
  return heat.differ(
    heat.number("steps", steps, unit),
    heat.number("share", side.share[layer]?.[position] ?? 0, ""),
    heat.number("relative_l2", side.relative_l2[layer]?.[position] ?? 0, ""),
  );
}

/** Which numbers have a colour. */
export function rampWords(metric: HeatMetric, bounds: readonly number[], level: number): string {
  const { heat } = whyWords.value;
  const [from, next] = [bounds[level - 1], bounds[level]];
  const number = (value: number) => heat.number(metric, value, "");
  if (next === undefined) return heat.orMore(number(from ?? 0));
  // Distances are whole numbers.
  if (metric === "steps")
    return next - 1 === (from ?? 1) ? number(next - 1) : `${number(from ?? 1)}–${number(next - 1)}`;
  return from === undefined ? heat.below(number(next)) : `${number(from)}–${number(next)}`;
}
