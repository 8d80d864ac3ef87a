// How far the caches of the two runs are apart: layer by position, in representable numbers. A canvas with a cell cursor, and a table
// twin. Nothing stands behind the fork, where the runs read other tokens.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { KvMapSide } from "../shared/engine-records";
import { count } from "./format";

/** From so many ulp on a cell has this colour; the plate is white in both themes. */
export const RAMP: readonly [number, string][] = [
  [1, "#35a06a"],
  [2, "#1f8a82"],
  [4, "#2b6f8c"],
  [16, "#36558b"],
  [64, "#41307a"],
  [256, "#2c0848"],
];
const CELL = 12;

/** Null for equal bits: such a cell is a dot. Pure. */
export function cellColour(ulp: number): string | null {
  return RAMP.findLast(([from]) => ulp >= from)?.[1] ?? null;
}

/** Distances in steps of the cache's format; what differs is at least one. Pure. */
export function stepsOf(ulps: readonly number[][], stepUlp: number): number[][] {
  return ulps.map((row) => row.map((ulp) => (ulp === 0 ? 0 : Math.max(1, Math.round(ulp / stepUlp)))));
}

interface Cell {
  layer: number;
  position: number;
}

interface HeatMapProps {
  maps: { k: KvMapSide; v: KvMapSide };
  /** The token at a position, for the readout. */
  tokenAt: (position: number) => string;
  reused: number;
}

export function HeatMap({ maps, tokenAt, reused }: HeatMapProps) {
  const [side, setSide] = useState<"k" | "v">("k");
  const [cell, setCell] = useState<Cell>({ layer: 0, position: Math.max(0, reused - 1) });
  const canvas = useRef<HTMLCanvasElement>(null);
  const { largest_ulp, share: shares, format, step_ulp } = maps[side];
  const ulps = useMemo(() => stepsOf(largest_ulp, step_ulp), [largest_ulp, step_ulp]);
  const n_layers = ulps.length;
  const n_positions = ulps[0]?.length ?? 0;
  const name = side === "k" ? "Keys" : "Values";

  useEffect(() => {
    if (canvas.current) draw(canvas.current, ulps, cell);
  }, [ulps, cell]);

  const move = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const within = (value: number, n: number) => Math.min(Math.max(value, 0), n - 1);
    setCell({
      layer: within(cell.layer + step[0], n_layers),
      position: within(cell.position + step[1], n_positions),
    });
  };
  const point = (event: MouseEvent & { currentTarget: HTMLCanvasElement }) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const position = Math.floor(((event.clientX - left) / width) * n_positions);
    const layer = Math.floor(((event.clientY - top) / height) * n_layers);
    if (layer >= 0 && layer < n_layers && position >= 0 && position < n_positions)
      setCell({ layer, position });
  };
  const largest = Math.max(0, ...ulps.flat());
  const ulp = ulps[cell.layer]?.[cell.position] ?? 0;
  const share = shares[cell.layer]?.[cell.position] ?? 0;
  const unit = step_ulp > 1 ? `${format} steps` : "ulp";
  return (
    <figure class="heat-map">
      <figcaption>
        <strong>Where the caches differ.</strong> One cell for each layer (down) and position (across): the
        largest distance of a cached {side === "k" ? "key" : "value"}, in{" "}
        {step_ulp > 1 ? `steps of ${format}, the cache's format` : "representable numbers (ulp)"}. A dot is
        equal in every bit. The arrow keys move the cursor.
      </figcaption>
      <fieldset class="choice">
        <legend class="visually-hidden">What is shown</legend>
        <div class="segments">
          {(["k", "v"] as const).map((value) => (
            <label key={value}>
              <input type="radio" name="heat-map" checked={side === value} onChange={() => setSide(value)} />
              <span>{value === "k" ? "Keys" : "Values"}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="scroll plate">
        <canvas
          ref={canvas}
          width={n_positions * CELL}
          height={n_layers * CELL}
          tabIndex={0}
          role="img"
          aria-label={`${name}: ${n_layers} layers by ${n_positions} positions, at most ${count(largest)} ${unit} apart; the cell under the cursor is told below, the table has all`}
          onKeyDown={move}
          onClick={point}
        />
      </div>
      <output class="heat-readout">
        Layer {cell.layer}, position {cell.position} <code>{tokenAt(cell.position)}</code>,{" "}
        {cell.position < reused ? "reused" : "computed"}:{" "}
        {ulp === 0
          ? "every bit equal"
          : `${count(ulp)} ${unit} at most, ${(100 * share).toFixed(0)} % of the values differ`}
      </output>
      <ul class="ramp" aria-hidden="true">
        <li>
          <span class="swatch dot" /> equal
        </li>
        {RAMP.map(([from, colour], index) => (
          <li key={from}>
            <span class="swatch" style={{ background: colour }} /> {rampWords(from, RAMP[index + 1]?.[0])}
          </li>
        ))}
      </ul>
      <HeatTable name={name} unit={unit} ulps={ulps} />
    </figure>
  );
}

function rampWords(from: number, next: number | undefined): string {
  if (next === undefined) return `${from} or more`;
  return next - 1 === from ? `${from}` : `${from}–${next - 1}`;
}

function HeatTable({ name, unit, ulps }: { name: string; unit: string; ulps: readonly number[][] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name} as a table, in {unit}
      </summary>
      {isOpen && (
        <div class="scroll">
          <table class="heat-table">
            <thead>
              <tr>
                <th scope="col">Layer</th>
                {ulps[0]?.map((_, position) => (
                  <th scope="col" key={position}>
                    {position}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ulps.map((row, layer) => (
                <tr key={layer}>
                  <th scope="row">{layer}</th>
                  {row.map((ulp, position) => (
                    <td key={position}>{ulp === 0 ? "=" : ulp}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function draw(canvas: HTMLCanvasElement, ulps: readonly number[][], cursor: Cell): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  ulps.forEach((row, layer) => {
    row.forEach((ulp, position) => {
      const colour = cellColour(ulp);
      context.fillStyle = colour ?? "#565c68";
      if (colour) context.fillRect(position * CELL, layer * CELL, CELL - 1, CELL - 1);
      else context.fillRect(position * CELL + CELL / 2 - 1, layer * CELL + CELL / 2 - 1, 2, 2);
    });
  });
  context.lineWidth = 2;
  context.strokeStyle = "#16181d";
  context.strokeRect(cursor.position * CELL, cursor.layer * CELL, CELL - 1, CELL - 1);
}
