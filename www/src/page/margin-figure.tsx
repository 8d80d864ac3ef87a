// How close the call was: the logits of one pair of tokens, in both runs, on one axis around zero. It can be saved; its numbers as text
// stand beside it for those who do not see it.
import { useRef } from "preact/hooks";
import type { Fork } from "../shared/engine-records";
import { ExportButtons } from "./export-buttons";
import { svgText } from "./figure-export";
import { sourceOf, titled } from "./figure-title";
import { quotedToken, signed } from "./format";
import { messages } from "./language";
import { SideMark } from "./run-strip";
import type { DoneComparison } from "./session-state";

const HEIGHT = 136;
const AXIS_Y = 46;
/** The larger of both leads stands at two thirds of its half: its number has room. */
const ROOM = 1.5;
/** Two names of tokens have room on a phone. */
const LONGEST_NAME = 14;

interface MarginFigureProps {
  fork: Fork;
  /** Whose fork it is. */
  done: DoneComparison;
}

export function MarginFigure({ fork, done }: MarginFigureProps) {
  const figure = useRef<SVGSVGElement>(null);
  const { result } = messages.value;
  const { closeCall } = result;
  const [coldToken, warmToken] = [quotedToken(fork.cold.text), quotedToken(fork.warm.text)];
  const pair = result.over(coldToken, warmToken);
  const cold = { side: "cold", title: result.cold, value: fork.cold_pair_margin } as const;
  const warm = { side: "warm", title: result.warm, value: fork.warm_pair_margin } as const;
  const scale = ROOM * Math.max(Math.abs(cold.value ?? 0), Math.abs(warm.value ?? 0));
  const at = (value: number) => `${50 + 50 * (scale > 0 ? value / scale : 0)}%`;
  const isWhole = cold.value !== null && warm.value !== null;
  return (
    <section class="panel margin" aria-labelledby="margin-heading">
      <h2 id="margin-heading">{closeCall.heading}</h2>
      <p>{closeCall.explained(fork.index + 1, pair)}</p>
      <svg ref={figure} class="margin-axis" width="100%" height={HEIGHT} aria-hidden="true">
        <line class="axis-line" x1="0" x2="100%" y1={AXIS_Y} y2={AXIS_Y} />
        <line class="zero" x1="50%" x2="50%" y1={AXIS_Y - 20} y2={AXIS_Y + 20} />
        {cold.value !== null && warm.value !== null && (
          <line class="link" x1={at(cold.value)} x2={at(warm.value)} y1={AXIS_Y} y2={AXIS_Y} />
        )}
        {cold.value !== null && <circle class="cold" cx={at(cold.value)} cy={AXIS_Y} r="9" />}
        {warm.value !== null && (
          <svg x={at(warm.value)} y={AXIS_Y} overflow="visible" aria-hidden="true">
            <path class="warm" d="M0-11 11 0 0 11-11 0Z" />
          </svg>
        )}
        {cold.value !== null && (
          <text class="lead" x={at(cold.value)} y={AXIS_Y - 24} text-anchor="middle">
            {cold.title} {signed(cold.value)}
          </text>
        )}
        {warm.value !== null && (
          <text class="lead" x={at(warm.value)} y={AXIS_Y + 36} text-anchor="middle">
            {warm.title} {signed(warm.value)}
          </text>
        )}
        {/* Below the marks: the axis from end to end. */}
        {scale > 0 && <text y={HEIGHT - 26}>{signed(-scale)}</text>}
        <text x="50%" y={HEIGHT - 26} text-anchor="middle">
          0
        </text>
        {scale > 0 && (
          <text x="100%" y={HEIGHT - 26} text-anchor="end">
            {signed(scale)}
          </text>
        )}
        <text y={HEIGHT - 6}>← {closeCall.wins(shortened(warmToken))}</text>
        <text x="100%" y={HEIGHT - 6} text-anchor="end">
          {closeCall.wins(shortened(coldToken))} →
        </text>
      </svg>
      <dl class={isWhole ? "visually-hidden" : "margin-values"}>
        <MarginValue {...cold} />
        <MarginValue {...warm} />
      </dl>
      <ExportButtons
        name="lastbit-margin"
        title={titled(closeCall.saved(pair, fork.index + 1), sourceOf(done))}
        svg={(title) => figure.current && svgText(title, [figure.current])}
      />
    </section>
  );
}

function shortened(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

interface MarginValueProps {
  side: "cold" | "warm";
  title: string;
  value: number | null;
}

function MarginValue({ side, title, value }: MarginValueProps) {
  return (
    <div data-margin={side}>
      <dt>
        <SideMark side={side} />
        {title}
      </dt>
      <dd class="numbers">
        {value === null ? messages.value.result.closeCall.outsideTopFive : signed(value)}
      </dd>
    </div>
  );
}
