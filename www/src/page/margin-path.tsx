// How close every call was on the way to the fork: the lead in both runs, how far it drifted from one to the other, and the line beyond
// which no noise of the measured size could have turned it around. Pure drawing; every number is the engine's.
import { useEffect, useRef } from "preact/hooks";
import type { Dissection, Lead } from "../shared/engine-records";
import { Hatch } from "./drawing";
import { ExportButtons } from "./export-buttons";
import { svgText } from "./figure-export";
import { count, margin, signed } from "./format";
import { bringIntoView } from "./in-view";
import { Scrolling } from "./scrolling";
import { whyWords } from "./why-words";

const COLUMN = 34;
const HEIGHT = 220;
const EDGE = 14;
/** Columns that are drawn: up to the fork, and so many behind it; the table has all. */
const MOST_COLUMNS = 24;
const BEHIND_FORK = 6;
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

export function MarginPath({ dissection, pair }: { dissection: Dissection; pair: string }) {
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
  const forked = drawn.findIndex(({ index }) => index === dissection.fork?.index);
  useEffect(() => {
    if (forked >= 0) bringIntoView(figure.current, (forked + 1) * COLUMN);
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
          width={width}
          height={HEIGHT + 24}
          role="img"
          aria-label={margins.label(pair, (drawn[0]?.index ?? 0) + 1, (drawn.at(-1)?.index ?? 0) + 1)}
        >
          <Hatch id={HATCH_ID} />
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
        svg={() => figure.current && key.current && svgText([figure.current, key.current])}
      />
      <LeadsTable dissection={dissection} leads={all} />
    </figure>
  );
}

interface LeadsTableProps {
  dissection: Dissection;
  leads: readonly (Lead & { index: number })[];
}

function LeadsTable({ dissection: { steps, flip_risk }, leads }: LeadsTableProps) {
  const { margins } = whyWords.value;
  return (
    <details class="more">
      <summary>{margins.asTable}</summary>
      <Scrolling name={margins.asTable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{margins.token}</th>
              <th scope="col">{margins.coldLead}</th>
              <th scope="col">{margins.warmLead}</th>
              <th scope="col">{margins.drift}</th>
              <th scope="col">{margins.gap}</th>
              <th scope="col">{margins.largestChange}</th>
              <th scope="col">{margins.safe}</th>
              <th scope="col">{margins.risk}</th>
            </tr>
          </thead>
          <tbody>
            {leads.map(({ index, cold, warm, drift, two_epsilon }) => (
              <tr key={index}>
                <th scope="row">{count(index + 1)}</th>
                <td class="numbers">{signed(cold)}</td>
                <td class="numbers">{signed(warm)}</td>
                <td class="numbers">{margin(drift)}</td>
                <td class="numbers">{margin(steps[index]?.gap ?? 0)}</td>
                <td class="numbers">{margin(steps[index]?.largest_change ?? 0)}</td>
                <td class="numbers">{margin(two_epsilon)}</td>
                <td class="numbers">{percent(flip_risk?.per_step[index])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </details>
  );
}

function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${(100 * share).toFixed(1)} %`;
}
