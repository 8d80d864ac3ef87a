// The verdict, never without its control and its exposure.
import type { Comparison } from "../shared/engine-records";
import { messages } from "./language";
import { say } from "./messages/said";
import { type Check, controlCheck, exposureCheck, type VerdictWords, verdictWords } from "./verdict";

export function VerdictCard({ comparison }: { comparison: Comparison }) {
  const words = verdictWords(comparison);
  const { bar, numerics, verdict } = messages.value;
  return (
    <section class="verdict" data-verdict={comparison.verdict} aria-labelledby="verdict-heading">
      <VerdictMark mark={words.mark} />
      <div>
        <h2 id="verdict-heading">{say(verdict, words.title)}</h2>
        <p>{words.meaning.map((sentence) => say(verdict, sentence)).join(" ")}</p>
        <ul class="checks">
          <CheckItem name="control" check={controlCheck(comparison)} />
          <CheckItem name="exposure" check={exposureCheck(comparison)} />
          <li>
            {verdict.verdictCode} <code>{comparison.verdict}</code>
          </li>
          <li>{verdict.numerics(numerics.formatNames[comparison.formats], bar.orders[comparison.order])}</li>
        </ul>
      </div>
    </section>
  );
}

function CheckItem({ name, check }: { name: string; check: Check }) {
  const marks: Record<Check["state"], string> = { passed: "\u00a0✓", failed: "\u00a0✗", open: "" };
  return (
    <li data-check={name} data-state={check.state}>
      {say(messages.value.verdict, check.text)}
      {marks[check.state]}
    </li>
  );
}

function VerdictMark({ mark }: { mark: VerdictWords["mark"] }) {
  const paths: Record<VerdictWords["mark"], string> = {
    fork: "M16 30V18 M16 18C16 10 6 12 6 2 M16 18C16 10 26 12 26 2",
    trunk: "M12 30V2 M20 30V2",
    none: "M4 16h24",
  };
  return (
    <svg class="verdict-mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d={paths[mark]} />
    </svg>
  );
}
