// Under the verdict: what the comparison before came to, where nothing but the order of addition was another, with both answers around
// the fork. Both were measured on this device since the page was opened; without such a pair there is nothing here.
import type { Comparison } from "../shared/engine-records";
import type { Processor } from "../shared/protocol";
import type { EndedComparison } from "./comparison-session";
import { type Excerpt, excerptsOf } from "./excerpts";
import { messages } from "./language";
import type { RunLog } from "./run-log";
import { SideMark } from "./run-strip";
import type { ComparisonState, DoneComparison } from "./session-state";
import { hasEnded, runOf } from "./verdict";

interface BeforeAndAfterProps {
  state: ComparisonState;
  log: RunLog;
  former: EndedComparison | null;
}

export function BeforeAndAfter({ state, log, former }: BeforeAndAfterProps) {
  const pair = pairOf(former?.done ?? null, state);
  if (former === null || pair === null) return null;
  const { beforeAndAfter } = messages.value.result;
  const fork = pair.before.fork ?? pair.after.fork;
  const rows = [
    [beforeAndAfter.before, pair.before, former.log],
    [beforeAndAfter.after, pair.after, log],
  ] as const;
  return (
    <section class="before-and-after" aria-labelledby="before-and-after-heading">
      <h3 id="before-and-after-heading">{beforeAndAfter.heading}</h3>
      <dl>
        {rows.map(([when, comparison, ofComparison]) => (
          <div key={when} data-order={comparison.order}>
            <dt>
              {when}: {messages.value.bar.orders[comparison.order]}
            </dt>
            <dd>{outcomeWords(comparison)}</dd>
            {fork &&
              excerptsOf(comparison, ofComparison, fork.index).map((excerpt) => (
                <ExcerptLine key={excerpt.whose} {...excerpt} />
              ))}
          </div>
        ))}
      </dl>
      <p class="hint">{beforeAndAfter.sameOtherwise}</p>
    </section>
  );
}

function ExcerptLine({ whose, isCut, before, token, number, behind }: Excerpt) {
  const { result } = messages.value;
  const title = { cold: result.cold, warm: result.warm, both: result.beforeAndAfter.both }[whose];
  return (
    <dd class="excerpt" data-side={whose}>
      <span class="label">
        {whose === "both" ? <span aria-hidden="true">=</span> : <SideMark side={whose} />}
        {title}
      </span>
      <bdi class="text">
        {isCut.before && "… "}
        {before}
        {whose === "both" ? (
          <u>{token}</u>
        ) : (
          <span class="token fork-token">
            <span class="fork-number">⟨{number}⟩</span> {token}
          </span>
        )}
        {behind}
        {isCut.behind && " …"}
      </bdi>
    </dd>
  );
}

/** Both comparisons where they differ in the order and in nothing else; else null. Pure. */
export function pairOf(
  former: DoneComparison | null,
  state: ComparisonState,
): { before: Comparison; after: Comparison } | null {
  if (former === null || state.kind !== "done") return null;
  const [before, after] = [former.comparison, state.comparison];
  if (!hasEnded(before) || !hasEnded(after) || before.order === after.order) return null;
  return sameButOrder(former) === sameButOrder(state) ? { before, after } : null;
}

/** The same text for comparisons of one prompt on one model, device and length, in the same formats. */
function sameButOrder({ inputs, ran_on, model_sha256 }: DoneComparison): string {
  return JSON.stringify([{ ...inputs, order: null }, deviceOf(ran_on), model_sha256]);
}

function deviceOf(processor: Processor): string[] {
  if (processor.kind === "cpu-twin") return [];
  const { name, driver, family, fingerprint } = processor.device;
  return [name, driver, family, fingerprint.hash];
}

/** "forked at token 7", "bit-identical, 80 of 80 tokens". */
export function outcomeWords(comparison: Comparison): string {
  const { result } = messages.value;
  const { verdict, fork } = comparison;
  const words = result.verdicts[verdict];
  switch (verdict) {
    case "forked":
    case "tie":
      return fork ? result.beforeAndAfter.forkedAt(words, fork.index + 1) : words;
    case "bit-identical":
    case "same-tokens":
      return result.beforeAndAfter.alike(words, runOf(comparison, "warm")?.steps.length ?? 0);
    default:
      return words;
  }
}
