// Whose order of addition is to blame: every site's order changed by itself, in groups, and all together.
import type { Ablation, AblationOutcome } from "../shared/engine-records";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import type { Session } from "./session";
import { whyWords } from "./why-words";

interface AblationPanelProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function AblationPanel({ session, onNext }: AblationPanelProps) {
  const state = session.why.ablation.value;
  const { ablation: words, stop, stopping } = whyWords.value;
  switch (state.kind) {
    case "none":
      return (
        <div class="why-offer">
          <p>
            <strong>{words.heading}</strong> {words.explained}
          </p>
          <button type="button" disabled={session.isBusy.value} onClick={() => session.why.ablate()}>
            {words.begin}
          </button>
        </div>
      );
    case "running":
      return (
        <div class="why-offer">
          <p>{state.event ? words.tried(state.event.done, state.event.of) : words.first}</p>
          <button type="button" disabled={state.is_stopping} onClick={() => session.stop()}>
            {state.is_stopping ? stopping : stop}
          </button>
          <progress aria-label={words.progress} value={state.event?.done} max={state.event?.of} />
        </div>
      );
    case "failed":
      return <FailureNotice error={state.error} onNext={onNext} />;
    case "done":
      return state.ablation ? <Found ablation={state.ablation} /> : <p>{words.nothingKnown}</p>;
  }
}

function Found({ ablation }: { ablation: Ablation }) {
  const words = whyWords.value.ablation;
  return (
    <figure class="ablation">
      <figcaption>
        <strong>{words.heading}</strong> <span lang="en">{ablation.sentence}</span>
      </figcaption>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{words.changed}</th>
              <th scope="col">{words.madeInvariant}</th>
              <th scope="col">{words.madeByShape}</th>
            </tr>
          </thead>
          <tbody>
            <Row name={words.nothing} left={ablation.by_shape} right={ablation.invariant} />
            {ablation.cases.map((group) => (
              <Row
                key={group.group}
                name={group.group}
                left={group.made_invariant}
                right={group.made_by_shape}
              />
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function Row({ name, left, right }: { name: string; left: AblationOutcome; right: AblationOutcome }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{outcomeWords(left)}</td>
      <td>{outcomeWords(right)}</td>
    </tr>
  );
}

/** What a cold and a warm run came to, with a mark that needs no colour. */
export function outcomeWords({ first_differing, fork, n_steps }: AblationOutcome): string {
  const { ablation } = whyWords.value;
  if (first_differing === null) return ablation.equalBits(n_steps);
  return fork === null ? ablation.otherBits(first_differing + 1, n_steps) : ablation.fork(fork + 1);
}
