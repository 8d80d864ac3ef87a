// How far the caches of the two runs are apart: layer by position, in one of three measures. A canvas with a cell cursor, and a table
// twin. Nothing stands behind the fork, where the runs read other tokens.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { KvMapSide } from "../shared/engine-records";
import { ExportButtons } from "./export-buttons";
import { titled } from "./figure-title";
import { boundsOf, HEAT_METRICS, type HeatMetric, levelsOf, valuesOf } from "./heat-metric";
import { CELL, type Cell, drawPlate, MARGIN, plateHeight, plateSvg, plateWidth, RAMP } from "./heat-plate";
import { HeatTable } from "./heat-table";
import { cellWords, rampWords } from "./heat-words";
import { bringIntoView } from "./in-view";
import { whyWords } from "./why-words";

interface HeatMapProps {
  maps: { k: KvMapSide; v: KvMapSide };
  /** Model, device and numerics, for the saved figure. */
  source: string;
  /** The token at a position, for the readout. */
  tokenAt: (position: number) => string;
  reused: number;
  /** Tokens that were decoded behind the fork. */
  n_behind: number;
  /** The first position behind the fork. */
  fork: number | null;
  /** Tells those who do not see the cursor where it has been moved to by keyboard. */
  onTell: (words: string) => void;
}

export function HeatMap({ maps, source, tokenAt, reused, n_behind, fork, onTell }: HeatMapProps) {
  const [side, setSide] = useState<"k" | "v">("k");
  const [metric, setMetric] = useState<HeatMetric>("steps");
  const [cell, setCell] = useState<Cell>({ layer: 0, position: Math.max(0, reused - 1) });
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = maps[side];
  const bounds = useMemo(() => boundsOf(maps, metric), [maps, metric]);
  const levels = useMemo(() => levelsOf(shown, metric, bounds), [shown, metric, bounds]);
  const values = valuesOf(shown, metric);
  const n_layers = levels.length;
  const n_positions = levels[0]?.length ?? 0;
  const { heat } = whyWords.value;
  const plate = useMemo(() => ({ levels, n_behind, fork, axes: heat.axes }), [levels, n_behind, fork, heat]);
  const name = heat.sides[side];
  const hasSteps = shown.format === "f16";
  const unit = hasSteps ? heat.unit(shown.format) : "ulp";
  const placeWords = ({ layer, position }: Cell) => heat.cell(layer, position);
  const stateWords = (at: Cell) =>
    `${at.position < reused ? heat.reused : heat.computed}: ${cellWords(shown, at, unit)}`;

  useEffect(() => {
    if (!canvas.current) return;
    drawPlate(canvas.current, plate, cell);
    bringIntoView(canvas.current, MARGIN.left + (cell.position + 0.5) * CELL);
  }, [plate, cell]);

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
    const next = {
      layer: within(cell.layer + step[0], n_layers),
      position: within(cell.position + step[1], n_positions),
    };
    setCell(next);
    onTell(`${placeWords(next)} ${tokenAt(next.position)}, ${stateWords(next)}`);
  };
  const point = (event: MouseEvent & { currentTarget: HTMLCanvasElement }) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const position = Math.floor((event.clientX - left - MARGIN.left) / CELL);
    const layer = Math.floor((event.clientY - top - MARGIN.top) / CELL);
    if (layer >= 0 && layer < n_layers && position >= 0 && position < n_positions)
      setCell({ layer, position });
  };
  const most = largestOf(values);
  const measure = heat.measures[metric](hasSteps ? heat.stepsOfFormat(shown.format) : heat.representable);
  const keyWords = RAMP.map((_, level) => rampWords(metric, bounds, level));
  return (
    <figure class="heat-map">
      <figcaption>
        <strong>{heat.heading}</strong> {heat.explained(side, measure)}
      </figcaption>
      <Segments
        name="heat-side"
        legend={heat.whatIsShown}
        options={["k", "v"] as const}
        chosen={side}
        words={heat.sides}
        onChoose={setSide}
      />
      <Segments
        name="heat-metric"
        legend={heat.measure}
        options={HEAT_METRICS}
        chosen={metric}
        words={heat.metrics}
        onChoose={setMetric}
      />
      <div class="scroll plate">
        <canvas
          ref={canvas}
          width={plateWidth(plate)}
          height={plateHeight(plate)}
          tabIndex={0}
          role="img"
          aria-label={heat.label(
            name,
            n_layers,
            n_positions,
            most.value === 0 ? "" : `${heat.cell(most.layer, most.position)}, ${tokenAt(most.position)}`,
            heat.number(metric, most.value, unit),
          )}
          onKeyDown={move}
          onClick={point}
        />
      </div>
      <p class="heat-readout">
        {placeWords(cell)} <code>{tokenAt(cell.position)}</code>, {stateWords(cell)}
      </p>
      <ul class="ramp" aria-hidden="true">
        <li>
          <span class="swatch dot" /> {heat.equal}
        </li>
        {RAMP.map((colour, level) => (
          <li key={colour}>
            <span class="swatch" style={{ background: colour }} /> {keyWords[level]}
          </li>
        ))}
      </ul>
      <ExportButtons
        name={`lastbit-${side === "k" ? "keys" : "values"}-${metric}`}
        title={titled(`${name}: ${measure}`, source)}
        svg={(title) => plateSvg(title, plate, [heat.equal, ...keyWords])}
      />
      <HeatTable name={name} metric={metric} unit={unit} values={values} levels={levels} />
    </figure>
  );
}

/** The largest number and the first cell that has it. */
function largestOf(values: readonly (readonly number[])[]): Cell & { value: number } {
  const all = values.flatMap((row, layer) => row.map((value, position) => ({ layer, position, value })));
  return all.reduce((most, cell) => (cell.value > most.value ? cell : most), {
    layer: 0,
    position: 0,
    value: 0,
  });
}

interface SegmentsProps<Option extends string> {
  name: string;
  legend: string;
  options: readonly Option[];
  chosen: Option;
  words: Readonly<Record<Option, string>>;
  onChoose: (option: Option) => void;
}

function Segments<Option extends string>({
  name,
  legend,
  options,
  chosen,
  words,
  onChoose,
}: SegmentsProps<Option>) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{legend}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option}>
            <input type="radio" name={name} checked={option === chosen} onChange={() => onChoose(option)} />
            <span>{words[option]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
