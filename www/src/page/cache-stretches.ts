// The warm run's prompt in stretches: who wrote each, and whether it was reused. Pure.
import type { Dissection } from "../shared/engine-records";

export type PositionRange = Dissection["warm_steps"][number];

export interface Stretch extends PositionRange {
  reused: boolean;
  /** Rows of the step that wrote it. */
  chunk_rows: number;
}

/** Hatches that can be told apart. */
export const N_HATCHES = 3;

/** Number of a stretch's hatch: another one for each size of the step that wrote it, as far as there are any. Pure. */
export function hatchOf(stretch: Stretch, stretches: readonly Stretch[]): number {
  const sizes = [...new Set(stretches.map(({ chunk_rows }) => chunk_rows))];
  return sizes.indexOf(stretch.chunk_rows) % N_HATCHES;
}

/** The prompt cut where reuse ends and where steps begin; the last step that computed a position wrote it. Pure. */
export function stretchesOf(warmSteps: readonly PositionRange[], reused: number): Stretch[] {
  const end = Math.max(0, ...warmSteps.map((step) => step.end));
  const stretches: Stretch[] = [];
  let writer: PositionRange | undefined;
  for (let position = 0; position < end; position += 1) {
    const wrote = warmSteps.findLast((step) => step.start <= position && position < step.end);
    const last = stretches.at(-1);
    const isReused = position < reused;
    if (last && wrote === writer && last.reused === isReused) last.end = position + 1;
    else {
      const chunk_rows = wrote ? wrote.end - wrote.start : 0;
      stretches.push({ start: position, end: position + 1, reused: isReused, chunk_rows });
    }
    writer = wrote;
  }
  return stretches;
}

/** The parts of a stretch that lie in one cache block each. Pure. */
export function blocksOf({ start, end }: PositionRange, blockTokens: number): PositionRange[] {
  const blocks: PositionRange[] = [];
  for (let from = start; from < end; ) {
    const to = Math.min(end, (Math.floor(from / blockTokens) + 1) * blockTokens);
    blocks.push({ start: from, end: to });
    from = to;
  }
  return blocks;
}
