// How close every call was on the way to the fork: the lead in both runs, how far it drifted from one to the other, and the line beyond
// which no noise of the measured size could have turned it around. Pure drawing; every number is the engine's.
import { useEffect, useRef } from "preact/hooks";
import type { Dissection } from "../shared/engine-records";
import { Hatch } from "./drawing";
import { ExportButtons } from "./export-buttons";
import { svgText } from "./figure-export";
import { titled } from "./figure-title";
import { signed } from "./format";
import { bringIntoView } from "./in-view";
import { LeadsTable } from "./leads-table";
import { Scrolling } from "./scrolling";
import { whyWords } from "./why-words";

const COLUMN = 34;
const HEIGHT = 220;
const EDGE = 14;
/** Columns that are drawn: up to the fork, and so many behind it; the table has all. */
const MOST_COLUMNS = 24;
const BEHIND_FORK = 6;
/** Room for the numbers of the axis, and for those of a fork in the last column. */
const AXIS = 60;
const BESIDE_FORK = 76;
/** Two numbers beside each other's marks do not touch. */
const LINE = 16;
const HATCH_ID = "drift-hatch";
const HATCHED = `url(#${HATCH_ID})`;
const WARM_MARK = "M0 -5.5 5.5 0 0 5.5 -5.5 0Z";

/** Height of a value around a middle line: linear near zero, where the noise is, and flat far away. Pure. */
export function heightOf(value: number, noise: number, largest: number): number {
  const scale = (size: number) => Math.asinh(size / (noise > 0 ? noise : 1));
  const share = largest > 0 ? scale(Math.abs(value)) / scale(largest) : 0;
  return HEIGHT / 2 - Math.sign(value) * share * (HEIGHT / 2 - EDGE);
}

/** Columns from left to right, each as wide as a token, at the height of its number. Pure. */
export function stepped(heights: readonly number[]): string {
  return heights
    .map((height, column) => `${column === 0 ? "M0 " : "V"}${height}H${(column + 1) * COLUMN}`)
    .join("");
}

/** Heights of two numbers beside their marks: as these are, or as far from their middle as the numbers need. Pure. */
export function apart(one: number, other: number): [number, number] {
  if (Math.abs(one - other) >= LINE) return [one, other];
  const middle = (one + other) / 2;
  const half = one <= other ? LINE / 2 : -LINE / 2;
  return [middle - half, middle + half];
}

interface MarginPathProps {
  dissection: Dissection;
  pair: string;
  /** Model, device and numerics, for the saved figure. */
  source: string;
}

export function MarginPath({ dissection, pair, source }: MarginPathProps) {
  const { margins } = whyWords.value;
  const figure = useRef<SVGSVGElement>(null);
  const key = useRef<SVGSVGElement>(null);
  const all = dissection.leads.map((lead, index) => ({ ...lead, index }));
  const end = dissection.fork ? dissection.fork.index + 1 + BEHIND_FORK : all.length;
  const drawn = all.slice(0, end).slice(-MOST_COLUMNS);
  const noise = dissection.flip_risk?.spread ?? 0;
  const largest = Math.max(
    ...drawn.flatMap(({ cold, warm, two_epsilon }) => [Math.abs(cold), Math.abs(warm), two_epsilon]),
  );
  const y = (value: number) => heightOf(value, noise, largest);
  const width = drawn.length * COLUMN;
  const [first, last] = [(drawn[0]?.index ?? 0) + 1, (drawn.at(-1)?.index ?? 0) + 1];
  const forked = drawn.findIndex(({ index }) => index === dissection.fork?.index);
  const at = drawn[forked];
  const besideMarks = at ? apart(y(at.cold), y(at.warm)) : [];
  useEffect(() => {
    if (forked >= 0) bringIntoView(figure.current, AXIS + (forked + 1) * COLUMN);
  }, [forked]);
  const line = (side: "cold" | "warm") =>
    drawn
      .map((step, column) => `${column === 0 ? "M" : "L"}${(column + 0.5) * COLUMN} ${y(step[side])}`)
      .join("");
  return (
    <figure class="margin-path">
      <figcaption>
        <strong>{margins.heading}</strong> {margins.explained(pair)}
      </figcaption>
      <Scrolling name={margins.heading}>
        <svg
          ref={figure}
          width={AXIS + width + (forked === drawn.length - 1 ? BESIDE_FORK : 0)}
          height={HEIGHT + 24}
          role="img"
          aria-label={margins.label(pair, first, last)}
        >
          <Hatch id={HATCH_ID} />
          {[...new Set([largest, 0, -largest])].map((value) => (
            <text key={value} x={AXIS - 6} y={y(value) + 4} text-anchor="end">
              {signed(value)}
            </text>
          ))}
          <g transform={`translate(${AXIS} 0)`}>
            {drawn.map(({ index, drift }, column) => (
              <rect
                key={index}
                class="drift"
                fill={HATCHED}
                x={column * COLUMN}
                width={COLUMN}
                y={y(drift)}
                height={y(-drift) - y(drift)}
              />
            ))}
            <path class="safe" d={stepped(drawn.map(({ two_epsilon }) => y(two_epsilon)))} />
            <path class="safe" d={stepped(drawn.map(({ two_epsilon }) => y(-two_epsilon)))} />
            <path class="zero" d={`M0 ${HEIGHT / 2}H${width}`} />
            <path class="cold" d={line("cold")} />
            <path class="warm" d={line("warm")} />
            {drawn.map((step, column) => (
              <g key={step.index} transform={`translate(${(column + 0.5) * COLUMN} 0)`}>
                <circle class="cold" r="4.5" cy={y(step.cold)} />
                <path class="warm-mark" d={WARM_MARK} transform={`translate(0 ${y(step.warm)})`} />
                <text y={HEIGHT + 16} text-anchor="middle">
                  {step.index === dissection.fork?.index ? `⟨${step.index + 1}⟩` : step.index + 1}
                </text>
              </g>
            ))}
            {at && (
              <g transform={`translate(${(forked + 0.5) * COLUMN + 9} 4)`}>
                <text class="lead" y={besideMarks[0]}>
                  {signed(at.cold)}
                </text>
                <text class="lead" y={besideMarks[1]}>
                  {signed(at.warm)}
                </text>
              </g>
            )}
          </g>
        </svg>
      </Scrolling>
      <svg ref={key} class="key" width="300" height="66" aria-hidden="true">
        <circle class="cold" r="4.5" cx="14" cy="9" />
        <text x="36" y="13">
          {margins.cold}
        </text>
        <path class="warm-mark" d={WARM_MARK} transform="translate(134 9)" />
        <text x="156" y="13">
          {margins.warm}
        </text>
        <rect class="drift" fill={HATCHED} x="2" y="24" width="24" height="14" />
        <text x="36" y="36">
          {margins.driftKey}
        </text>
        <path class="safe" d="M2 55H26" />
        <text x="36" y="59">
          {margins.safeKey}
        </text>
      </svg>
      <ExportButtons
        name="lastbit-margins"
        title={titled(margins.saved(pair, first, last), source)}
        svg={(title) => figure.current && key.current && svgText(title, [figure.current, key.current])}
      />
      <LeadsTable dissection={dissection} leads={all} />
    </figure>
  );
}
