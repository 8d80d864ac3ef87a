// Whose order of addition is to blame: every site's order changed by itself, in groups, and all together.
import type { Ablation, AblationOutcome } from "../shared/engine-records";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import { plural } from "./messages/english/format";
import type { Session } from "./session";

interface AblationPanelProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function AblationPanel({ session, onNext }: AblationPanelProps) {
  const state = session.why.ablation.value;
  switch (state.kind) {
    case "none":
      return (
        <div class="why-offer">
          <p>
            <strong>Whose order is to blame?</strong> The prompt is run cold and warm once for every choice:
            the order of addition is made invariant, or made by shape, at one place of the model after the
            other.
          </p>
          <button type="button" disabled={session.isBusy.value} onClick={() => session.why.ablate()}>
            Change the order, place by place
          </button>
        </div>
      );
    case "running":
      return (
        <div class="why-offer">
          <p>
            {state.event
              ? `${state.event.done} of ${state.event.of} choices of orders tried …`
              : "The first choice of orders …"}
          </p>
          <button type="button" disabled={state.is_stopping} onClick={() => session.stop()}>
            {state.is_stopping ? "Stopping …" : "Stop"}
          </button>
          <progress aria-label="Orders tried" value={state.event?.done} max={state.event?.of} />
        </div>
      );
    case "failed":
      return <FailureNotice error={state.error} onNext={onNext} />;
    case "done":
      return state.ablation ? (
        <Found ablation={state.ablation} />
      ) : (
        <p>Stopped before anything could be told.</p>
      );
  }
}

function Found({ ablation }: { ablation: Ablation }) {
  return (
    <figure class="ablation">
      <figcaption>
        <strong>Whose order is to blame?</strong> {ablation.sentence}
      </figcaption>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Changed</th>
              <th scope="col">Made invariant, the rest by shape</th>
              <th scope="col">Made by shape, the rest invariant</th>
            </tr>
          </thead>
          <tbody>
            <Row name="nothing" left={ablation.by_shape} right={ablation.invariant} />
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

/** What a cold and a warm run came to, with a mark that needs no colour. Pure. */
export function outcomeWords({ first_differing, fork, n_steps }: AblationOutcome): string {
  if (first_differing === null) return `= equal bits, ${plural(n_steps, "token")}`;
  if (fork === null) return `≠ other bits from token ${first_differing + 1} on, no fork in ${n_steps}`;
  return `Y fork at token ${fork + 1}`;
}
