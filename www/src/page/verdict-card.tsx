// The verdict, never without its control and its exposure.
import type { Comparison } from "../shared/engine-records";
import { type Check, controlCheck, exposureCheck, type VerdictWords, verdictWords } from "./verdict";

export function VerdictCard({ comparison }: { comparison: Comparison }) {
  const words = verdictWords(comparison);
  return (
    <section class="verdict" data-verdict={comparison.verdict} aria-labelledby="verdict-heading">
      <VerdictMark mark={words.mark} />
      <div>
        <h2 id="verdict-heading">{words.title}</h2>
        <p>{words.meaning}</p>
        <ul class="checks">
          <CheckItem name="control" check={controlCheck(comparison)} />
          <CheckItem name="exposure" check={exposureCheck(comparison)} />
          <li>
            verdict: <code>{comparison.verdict}</code>
          </li>
          <li>
            {comparison.formats}, order {comparison.order}
          </li>
        </ul>
      </div>
    </section>
  );
}

function CheckItem({ name, check }: { name: string; check: Check }) {
  const marks: Record<Check["state"], string> = { passed: "\u00a0✓", failed: "\u00a0✗", open: "" };
  return (
    <li data-check={name} data-state={check.state}>
      {check.text}
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
