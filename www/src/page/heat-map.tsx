// How far the caches of the two runs are apart: layer by position, in representable numbers. A canvas with a cell cursor, and a table
// twin. Nothing stands behind the fork, where the runs read other tokens.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { KvMapSide } from "../shared/engine-records";
import { ExportButtons } from "./export-buttons";
import { type Cell, drawPlate, plateHeight, plateSvg, plateWidth, RAMP } from "./heat-plate";
import { whyWords } from "./why-words";

/** Distances in steps of the cache's format; what differs is at least one. Pure. */
export function stepsOf(ulps: readonly (readonly number[])[], stepUlp: number): number[][] {
  return ulps.map((row) => row.map((ulp) => (ulp === 0 ? 0 : Math.max(1, Math.round(ulp / stepUlp)))));
}

interface HeatMapProps {
  maps: { k: KvMapSide; v: KvMapSide };
  /** The token at a position, for the readout. */
  tokenAt: (position: number) => string;
  reused: number;
  /** Tokens that were decoded behind the fork. */
  n_behind: number;
}

export function HeatMap({ maps, tokenAt, reused, n_behind }: HeatMapProps) {
  const [side, setSide] = useState<"k" | "v">("k");
  const [cell, setCell] = useState<Cell>({ layer: 0, position: Math.max(0, reused - 1) });
  const canvas = useRef<HTMLCanvasElement>(null);
  const { largest_ulp, share: shares, format, step_ulp } = maps[side];
  const ulps = useMemo(() => stepsOf(largest_ulp, step_ulp), [largest_ulp, step_ulp]);
  const plate = { ulps, n_behind };
  const n_layers = ulps.length;
  const n_positions = ulps[0]?.length ?? 0;
  const { heat } = whyWords.value;
  const name = heat.sides[side];

  useEffect(() => {
    if (canvas.current) drawPlate(canvas.current, { ulps, n_behind }, cell);
  }, [ulps, n_behind, cell]);

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
    const position = Math.floor(((event.clientX - left) / width) * (n_positions + n_behind));
    const layer = Math.floor(((event.clientY - top) / height) * n_layers);
    if (layer >= 0 && layer < n_layers && position >= 0 && position < n_positions)
      setCell({ layer, position });
  };
  const largest = Math.max(0, ...ulps.flat());
  const ulp = ulps[cell.layer]?.[cell.position] ?? 0;
  const share = shares[cell.layer]?.[cell.position] ?? 0;
  const hasSteps = step_ulp > 1;
  const unit = hasSteps ? heat.unit(format) : "ulp";
  return (
    <figure class="heat-map">
      <figcaption>
        <strong>{heat.heading}</strong>{" "}
        {heat.explained(side, hasSteps ? heat.stepsOfFormat(format) : heat.representable)}
      </figcaption>
      <fieldset class="choice">
        <legend class="visually-hidden">{heat.whatIsShown}</legend>
        <div class="segments">
          {(["k", "v"] as const).map((value) => (
            <label key={value}>
              <input type="radio" name="heat-map" checked={side === value} onChange={() => setSide(value)} />
              <span>{heat.sides[value]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="scroll plate">
        <canvas
          ref={canvas}
          width={plateWidth(plate)}
          height={plateHeight(plate)}
          tabIndex={0}
          role="img"
          aria-label={heat.label(name, n_layers, n_positions, largest, unit)}
          onKeyDown={move}
          onClick={point}
        />
      </div>
      <output class="heat-readout">
        {heat.cell(cell.layer, cell.position)} <code>{tokenAt(cell.position)}</code>,{" "}
        {cell.position < reused ? heat.reused : heat.computed}:{" "}
        {ulp === 0 ? heat.everyBitEqual : heat.differ(ulp, unit, (100 * share).toFixed(0))}
      </output>
      <ul class="ramp" aria-hidden="true">
        <li>
          <span class="swatch dot" /> {heat.equal}
        </li>
        {RAMP.map(([from, colour], index) => (
          <li key={from}>
            <span class="swatch" style={{ background: colour }} /> {rampWords(from, RAMP[index + 1]?.[0])}
          </li>
        ))}
      </ul>
      <ExportButtons name={`lastbit-${side === "k" ? "keys" : "values"}`} svg={() => plateSvg(plate)} />
      <HeatTable name={name} unit={unit} ulps={ulps} />
    </figure>
  );
}

function rampWords(from: number, next: number | undefined): string {
  if (next === undefined) return whyWords.value.heat.orMore(from);
  return next - 1 === from ? `${from}` : `${from}–${next - 1}`;
}

function HeatTable({
  name,
  unit,
  ulps,
}: {
  name: string;
  unit: string;
  ulps: readonly (readonly number[])[];
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{whyWords.value.heat.asTable(name, unit)}</summary>
      {isOpen && (
        <div class="scroll">
          <table class="heat-table">
            <thead>
              <tr>
                <th scope="col">{whyWords.value.layer}</th>
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
