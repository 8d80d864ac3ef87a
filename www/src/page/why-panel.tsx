// Why the answers part: what can be asked about the comparison on show, and what was found.
import type { Comparison, DissectEvent } from "../shared/engine-records";
import { AblationPanel } from "./ablation-panel";
import { DissectionFound } from "./dissection-found";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import { sourceOf } from "./figure-title";
import { NoisePanel } from "./noise-panel";
import { OrderSwitches } from "./order-switches";
import type { Session } from "./session";
import type { DoneComparison } from "./session-state";
import { ShapesPanel } from "./shapes-panel";
import { StopButton } from "./stop-button";
import { TwinPanel } from "./twin-panel";
import { runOf } from "./verdict";
import { whyWords } from "./why-words";

interface WhyPanelProps {
  session: Session;
  shown: DoneComparison;
  onNext: (step: NextStep) => void;
}

export function WhyPanel({ session, shown, onNext }: WhyPanelProps) {
  const { comparison } = shown;
  const state = session.why.dissection.value;
  const why = whyWords.value;
  const n_tokens = tokensOf(comparison, session.why.isBeyondFork.value);
  return (
    <section class="panel why" aria-label={why.heading}>
      <div class="inquiry">
        {(state.kind === "none" || (state.kind === "done" && state.found.was_cancelled)) && (
          <div class="why-offer">
            <p>{why.offer}</p>
            <button
              type="button"
              data-heir
              disabled={!session.canAsk.value}
              onClick={() => session.why.takeApart()}
            >
              {why.begin}
            </button>
          </div>
        )}
        {state.kind === "running" && (
          <div class="why-offer">
            <p>{progressWords(state.event, n_tokens)}</p>
            <StopButton isStopping={state.is_stopping} onStop={() => session.stop()}>
              {state.is_stopping ? why.stopping : why.stop}
            </StopButton>
            {state.event?.kind === "compared" ? (
              <progress aria-label={why.progress} value={state.event.n_tokens} max={n_tokens} />
            ) : (
              <progress aria-label={why.progress} />
            )}
          </div>
        )}
        {state.kind === "failed" && <FailureNotice error={state.error} onNext={onNext} />}
        {state.kind === "done" && (
          <DissectionFound
            dissection={state.found}
            comparison={comparison}
            source={sourceOf(shown)}
            goBeyond={{ isDisabled: !session.canAsk.value, onBegin: () => session.why.takeApart(true) }}
            onTell={(words) => {
              session.status.value = words;
            }}
          />
        )}
      </div>
      <OrderSwitches session={session} onNext={onNext} />
      <AblationPanel session={session} onNext={onNext} />
      <ShapesPanel session={session} order={comparison.order} onNext={onNext} />
      <NoisePanel session={session} onNext={onNext} />
      <TwinPanel session={session} onNext={onNext} />
    </section>
  );
}

/** How many tokens are compared: up to the fork, or all of cold's. */
function tokensOf(comparison: Comparison, isBeyondFork: boolean): number {
  const all = runOf(comparison, "cold-a")?.steps.length ?? 0;
  return comparison.fork && !isBeyondFork ? comparison.fork.index + 1 : all;
}

function progressWords(event: DissectEvent | null, of: number): string {
  const why = whyWords.value;
  switch (event?.kind) {
    case undefined:
      return why.computing;
    case "compared":
      return why.compared(event.n_tokens, of);
    case "margins":
      return why.findingMargins;
    case "origin":
      return why.findingOrigin;
  }
}
