// A comparison in short: its verdict with control and exposure, the words both runs share, and where they part.
import { useId } from "preact/hooks";
import type { Comparison, Step } from "../../shared/engine-records";
import { visibleToken } from "../format";
import { messages } from "../language";
import { say } from "../messages/said";
import { controlCheck, exposureCheck, runOf, verdictWords } from "../verdict";
import { lessonWords } from "./lesson-words";

interface OutcomeCardProps {
  title: string;
  comparison: Comparison | null;
}

export function OutcomeCard({ title, comparison }: OutcomeCardProps) {
  const lesson = lessonWords.value;
  const { verdict: sentences } = messages.value;
  const words = lesson.cold;
  const id = useId();
  if (comparison === null) {
    return (
      <section class="outcome-card" aria-labelledby={id}>
        <h4 id={id}>{title}</h4>
        <p class="note">{words.notRun}</p>
      </section>
    );
  }
  const { title: verdict, meaning } = verdictWords(comparison);
  return (
    <section class="outcome-card" aria-labelledby={id} data-verdict={comparison.verdict}>
      <h4 id={id}>{title}</h4>
      <p class="lesson-truth">{say(sentences, verdict)}</p>
      <ul class="checks">
        {[controlCheck(comparison), exposureCheck(comparison)].map(({ text, state }) => (
          <li key={text[0]} data-state={state}>
            {say(sentences, text)}
            {state === "passed" && "\u00a0✓"}
          </li>
        ))}
      </ul>
      <Texts comparison={comparison} />
      <p class="hint">{meaning.map((sentence) => say(sentences, sentence)).join(" ")}</p>
    </section>
  );
}

function Texts({ comparison }: { comparison: Comparison }) {
  const words = lessonWords.value.cold;
  const cold = runOf(comparison, "cold-a")?.steps ?? [];
  const warm = runOf(comparison, "warm")?.steps ?? [];
  const { fork } = comparison;
  const shared = fork ? cold.slice(0, fork.index) : cold;
  return (
    <>
      <p class="text">{textOf(shared)}</p>
      {fork && (
        <div class="arms">
          <div class="arm" data-side="cold">
            <h5>{words.cold}</h5>
            <ForkedText steps={cold.slice(fork.index)} number={fork.index + 1} />
          </div>
          <div class="arm" data-side="warm">
            <h5>{words.warm}</h5>
            <ForkedText steps={warm.slice(fork.index)} number={fork.index + 1} />
          </div>
        </div>
      )}
    </>
  );
}

function ForkedText({ steps, number }: { steps: readonly Step[]; number: number }) {
  const [first, ...rest] = steps;
  return (
    <p class="text">
      {first && (
        <span class="fork-token">
          <span class="fork-number">⟨{number}⟩</span> {visibleToken(first.text.trimStart())}
        </span>
      )}
      {textOf(rest)}
    </p>
  );
}

function textOf(steps: readonly Step[]): string {
  return steps.map(({ text }) => text).join("");
}
