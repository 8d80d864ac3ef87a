// The view Why: the comparison on show, taken apart.
import { hashOf } from "./address";
import type { NextStep } from "./failures";
import type { Session } from "./session";
import { canBeTakenApart, WhyPanel } from "./why-panel";

interface WhyViewProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function WhyView({ session, onNext }: WhyViewProps) {
  const state = session.comparison.value;
  return (
    <>
      <div class="intro">
        <h1>Which last bit did it?</h1>
        <p>{whatIsShown(state.kind === "done" && canBeTakenApart(state), session)}</p>
      </div>
      {canBeTakenApart(state) ? (
        <WhyPanel session={session} comparison={state.comparison} onNext={onNext} />
      ) : (
        <a class="quiet" href={hashOf("run")}>
          To the comparison
        </a>
      )}
    </>
  );
}

function whatIsShown(isThere: boolean, session: Session): string {
  if (isThere)
    return "The comparison on show is run once more, cold and warm side by side, and every tensor compared.";
  const state = session.comparison.value;
  if (state.kind === "running")
    return "The comparison is still running; it can be taken apart once it has its verdict.";
  if (state.kind === "none")
    return "There is no comparison yet. Run one first; then its first different bit can be looked for here.";
  if (state.ran_on === "cpu-twin")
    return "This comparison ran on the CPU, whose kernels cannot be looked into. It takes a GPU.";
  return "This comparison has no verdict that could be taken apart. Run another one.";
}
