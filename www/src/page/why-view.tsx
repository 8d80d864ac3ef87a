// The view Why: the comparison on show, taken apart.
import { hashOf } from "./address";
import type { NextStep } from "./failures";
import { RecordedWhy } from "./recorded-why";
import type { Session } from "./session";
import { WhyPanel } from "./why-panel";
import { canBeTakenApart } from "./why-session";
import { whyWords } from "./why-words";
import "./why.css";

interface WhyViewProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function WhyView({ session, onNext }: WhyViewProps) {
  const state = session.comparison.value;
  const why = whyWords.value;
  return (
    <>
      <div class="intro">
        <h1>{why.title}</h1>
        <p>{whatIsShown(canBeTakenApart(state), session)}</p>
      </div>
      {canBeTakenApart(state) ? (
        <WhyPanel session={session} shown={state} onNext={onNext} />
      ) : (
        <>
          <a class="primary" href={hashOf("run")}>
            {why.toComparison}
          </a>
          {state.kind !== "running" && (
            <RecordedWhy
              builtIn={session.builtIn}
              onTell={(words) => {
                session.status.value = words;
              }}
            />
          )}
        </>
      )}
    </>
  );
}

function whatIsShown(isThere: boolean, session: Session): string {
  const why = whyWords.value;
  if (isThere) return session.hasItsModel.value ? why.isThere : why.modelIsGone;
  const state = session.comparison.value;
  if (state.kind === "running") return why.isRunning;
  if (state.kind === "none") return why.isMissing;
  return state.ran_on.kind === "cpu-twin" ? why.ranOnCpu : why.hasNoVerdict;
}
