// How close the call was: the logits of one pair of tokens, in both runs, on one axis around zero.
import type { Fork } from "../shared/engine-records";
import { quotedToken, signed } from "./format";
import { messages } from "./language";
import { SideMark } from "./run-strip";

export function MarginFigure({ fork }: { fork: Fork }) {
  const cold = fork.cold_pair_margin;
  const warm = fork.warm_pair_margin;
  const { result } = messages.value;
  const [coldToken, warmToken] = [quotedToken(fork.cold.text), quotedToken(fork.warm.text)];
  const scale = 1.3 * Math.max(Math.abs(cold ?? 0), Math.abs(warm ?? 0));
  return (
    <section class="panel margin" aria-labelledby="margin-heading">
      <h2 id="margin-heading">{result.closeCall.heading}</h2>
      <p>{result.closeCall.explained(fork.index + 1, result.over(coldToken, warmToken))}</p>
      <div class="axis" aria-hidden="true">
        <span class="zero" />
        {cold !== null && warm !== null && scale > 0 && <Link from={cold / scale} to={warm / scale} />}
        {cold !== null && <Mark side="cold" at={scale > 0 ? cold / scale : 0} />}
        {warm !== null && <Mark side="warm" at={scale > 0 ? warm / scale : 0} />}
      </div>
      <div class="axis-words" aria-hidden="true">
        <span>← {result.closeCall.wins(warmToken)}</span>
        <span>0</span>
        <span>{result.closeCall.wins(coldToken)} →</span>
      </div>
      <dl class="margin-values">
        <MarginValue side="cold" title={result.cold} value={cold} />
        <MarginValue side="warm" title={result.warm} value={warm} />
      </dl>
    </section>
  );
}

/** Position of a value in -1..1 on the axis, as a share of its width. */
function percent(value: number): string {
  return `${50 + 50 * value}%`;
}

function Mark({ side, at }: { side: "cold" | "warm"; at: number }) {
  return (
    <span class="mark" style={{ left: percent(at) }}>
      <SideMark side={side} />
    </span>
  );
}

function Link({ from, to }: { from: number; to: number }) {
  return (
    <span class="link" style={{ left: percent(Math.min(from, to)), width: `${50 * Math.abs(from - to)}%` }} />
  );
}

function MarginValue({ side, title, value }: { side: "cold" | "warm"; title: string; value: number | null }) {
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
