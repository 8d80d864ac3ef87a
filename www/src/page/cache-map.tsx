// The warm run's prompt as its cache saw it: stretches that were reused, by the step that had written them, and those that were computed.
import type { PositionRange } from "../shared/engine-records";
import { messages } from "./language";

export interface Stretch extends PositionRange {
  reused: boolean;
  /** Rows of the step that wrote it. */
  chunk_rows: number;
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

export function CacheMap({ warmSteps, reused }: { warmSteps: readonly PositionRange[]; reused: number }) {
  const stretches = stretchesOf(warmSteps, reused);
  const { cache } = messages.value.why;
  return (
    <figure class="cache-map">
      <figcaption>
        <strong>{cache.heading}</strong> {cache.explained}
      </figcaption>
      <ol>
        {stretches.map((stretch) => (
          <li key={stretch.start} data-reused={stretch.reused}>
            <span class="cache-bar" aria-hidden="true" />
            {cache.positions(stretch.start, stretch.end - 1)}:{" "}
            <strong>{stretch.reused ? cache.reused : cache.computed}</strong>,{" "}
            {stretch.reused ? cache.hadBeenWritten(stretch.chunk_rows) : cache.written(stretch.chunk_rows)}
          </li>
        ))}
      </ol>
    </figure>
  );
}
