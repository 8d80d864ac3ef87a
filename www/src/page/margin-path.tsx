// How close every call was on the way to the fork: the pair's margin in both runs, and the band in which noise of the measured size
// could have flipped it. Pure drawing; every number is the engine's.
import { useEffect, useRef } from "preact/hooks";
import type { Dissection, StepNoise } from "../shared/engine-records";
import { ExportButtons } from "./export-buttons";
import { svgText } from "./figure-export";
import { count, signed } from "./format";
import { bringIntoView } from "./in-view";
import { Scrolling } from "./scrolling";
import { whyWords } from "./why-words";

const COLUMN = 34;
const HEIGHT = 220;
const EDGE = 14;
/** Columns that are drawn: up to the fork, and so many behind it; the table has all. */
const MOST_COLUMNS = 24;
const BEHIND_FORK = 6;

interface Drawn {
  index: number;
  cold: number;
  warm: number;
  /** Twice the largest change of any logit: no lead above it can be lost. */
  band: number;
  risk: number | null;
}

/** The steps as they are drawn: the fork's pair where there is a fork, else the two best tokens. */
export function drawnSteps({ steps, flip_risk }: Pick<Dissection, "steps" | "flip_risk">): Drawn[] {
  return steps.map((step, index) => {
    const [cold, warm] = step.pair_margin ?? [step.gap, step.gap + step.gap_change];
    return { index, cold, warm, band: 2 * step.largest_change, risk: flip_risk?.per_step[index] ?? null };
  });
}

/** Height of a value around a middle line: linear near zero, where the noise is, and flat far away. Pure. */
export function heightOf(value: number, noise: number, largest: number): number {
  const scale = (size: number) => Math.asinh(size / (noise > 0 ? noise : 1));
  const share = largest > 0 ? scale(Math.abs(value)) / scale(largest) : 0;
  return HEIGHT / 2 - Math.sign(value) * share * (HEIGHT / 2 - EDGE);
}

export function MarginPath({ dissection, pair }: { dissection: Dissection; pair: string }) {
  const { margins } = whyWords.value;
  const figure = useRef<SVGSVGElement>(null);
  const all = drawnSteps(dissection);
  const end = dissection.fork ? dissection.fork.index + 1 + BEHIND_FORK : all.length;
  const drawn = all.slice(0, end).slice(-MOST_COLUMNS);
  const noise = dissection.flip_risk?.spread ?? 0;
  const largest = Math.max(
    ...drawn.flatMap(({ cold, warm, band }) => [Math.abs(cold), Math.abs(warm), band]),
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
          {drawn.map(({ index, band }, column) => (
            <rect
              key={index}
              class="noise-band"
              x={column * COLUMN}
              width={COLUMN}
              y={y(band)}
              height={y(-band) - y(band)}
            />
          ))}
          <path class="zero" d={`M0 ${HEIGHT / 2}H${width}`} />
          <path class="cold" d={line("cold")} />
          <path class="warm" d={line("warm")} />
          {drawn.map((step, column) => (
            <g key={step.index} transform={`translate(${(column + 0.5) * COLUMN} 0)`}>
              <circle class="cold" r="4.5" cy={y(step.cold)} />
              <path
                class="warm-mark"
                d="M0 -5.5 5.5 0 0 5.5 -5.5 0Z"
                transform={`translate(0 ${y(step.warm)})`}
              />
              <text y={HEIGHT + 16} text-anchor="middle">
                {step.index === dissection.fork?.index ? `⟨${step.index + 1}⟩` : step.index + 1}
              </text>
            </g>
          ))}
        </svg>
      </Scrolling>
      <ExportButtons name="lastbit-margins" svg={() => figure.current && svgText(figure.current)} />
      <StepNoiseTable steps={dissection.steps} drawn={all} />
    </figure>
  );
}

function StepNoiseTable({ steps, drawn }: { steps: readonly StepNoise[]; drawn: readonly Drawn[] }) {
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
              <th scope="col">{margins.gap}</th>
              <th scope="col">{margins.largestChange}</th>
              <th scope="col">{margins.risk}</th>
            </tr>
          </thead>
          <tbody>
            {drawn.map(({ index, cold, warm, risk }) => (
              <tr key={index}>
                <th scope="row">{count(index + 1)}</th>
                <td class="numbers">{signed(cold)}</td>
                <td class="numbers">{signed(warm)}</td>
                <td class="numbers">{signed(steps[index]?.gap ?? 0)}</td>
                <td class="numbers">{signed(steps[index]?.largest_change ?? 0)}</td>
                <td class="numbers">{risk === null ? "–" : `${(100 * risk).toFixed(1)} %`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </details>
  );
}
