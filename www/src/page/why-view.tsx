// The view Why: the comparison on show, taken apart.
import { hashOf } from "./address";
import { outcomeWords } from "./before-and-after";
import type { NextStep } from "./failures";
import { sourceOf } from "./figure-title";
import { shortened } from "./format";
import { RecordedWhy } from "./recorded-why";
import type { Session } from "./session";
import type { DoneComparison } from "./session-state";
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
        <h1>{canBeTakenApart(state) && isAlike(state) ? why.titleOfEqual : why.title}</h1>
        <p>{whatIsShown(canBeTakenApart(state), session)}</p>
        {canBeTakenApart(state) && <p class="hint">{ofWhich(state)}</p>}
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

function isAlike({ comparison }: DoneComparison): boolean {
  return comparison.verdict === "bit-identical";
}

/** Prompt, outcome and numerics of the comparison on show: the form may say something else by now. */
function ofWhich(done: DoneComparison): string {
  const { prompt } = done.inputs.request;
  const text = prompt.kind === "chat" ? prompt.user : prompt.text;
  return `“${shortened(text)}” · ${outcomeWords(done.comparison)} · ${sourceOf(done)}`;
}

function whatIsShown(isThere: boolean, session: Session): string {
  const why = whyWords.value;
  if (isThere) return session.hasItsModel.value ? why.isThere : why.modelIsGone;
  const state = session.comparison.value;
  if (state.kind === "running") return why.isRunning;
  if (state.kind === "none") return why.isMissing;
  return state.ran_on.kind === "cpu-twin" ? why.ranOnCpu : why.hasNoVerdict;
}
