// Everything about one comparison, running, done or failed.
import type { Comparison } from "../shared/engine-records";
import { hashOf } from "./address";
import { BeforeAndAfter } from "./before-and-after";
import { CpuTwinNote } from "./cpu-twin";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import { messages } from "./language";
import { later } from "./later";
import { Legend } from "./legend";
import { ReplayNote } from "./replay-note";
import { recordsNow } from "./run-log";
import { RunStrip } from "./run-strip";
import { SentPrompt } from "./sent-prompt";
import type { Session } from "./session";
import type { ComparisonInputs, ComparisonState, DoneComparison } from "./session-state";
import { RunsTable, StepsTable } from "./steps-table";
import { splitOf } from "./streams";
import { StreamsPanel } from "./streams-panel";
import { TokenCursor } from "./token-cursor";
import { VerdictCard } from "./verdict-card";
import { canBeTakenApart } from "./why-session";

/** Drawn, and saved, only where there is a fork. */
const MarginFigure = later(() => import("./margin-figure").then((module) => module.MarginFigure));

interface ResultProps {
  session: Session;
  maxTokens: number;
  /** The comparison on show once more, in one order for all shapes. */
  onRunInvariant: (inputs: ComparisonInputs) => void;
  onNext: (step: NextStep) => void;
}

export function Result({ session, maxTokens, onRunInvariant, onNext }: ResultProps) {
  const state = session.comparison.value;
  session.comparisons.frame.value;
  const { result } = messages.value;
  const comparison = state.kind === "done" ? state.comparison : null;
  const isRunning = state.kind === "running";
  return (
    <section class="result" aria-label={result.heading} data-state={state.kind}>
      <RunStrip
        records={recordsNow(session.comparisons.log.value)}
        maxTokens={state.kind === "none" ? maxTokens : state.inputs.request.max_tokens}
        comparison={comparison}
        isRunning={isRunning}
      />
      <ReplayNote state={state} />
      {state.kind === "none" && <Legend />}
      {comparison && <VerdictCard comparison={comparison} />}
      <BeforeAndAfter
        state={state}
        log={session.comparisons.log.value}
        former={session.comparisons.former.value}
      />
      {canBeSwitchedOff(state) && (
        <button
          type="button"
          disabled={session.isBusy.value || session.model.value.kind !== "ready"}
          onClick={() => onRunInvariant(state.inputs)}
        >
          {result.switchOff}
        </button>
      )}
      {state.kind !== "none" && state.ran_on.kind === "cpu-twin" && <CpuTwinNote />}
      {state.kind === "failed" && <FailureNotice error={state.error} onNext={onNext} />}
      {state.kind !== "none" && (
        <StreamsPanel
          session={session}
          inputs={state.inputs}
          rightRun={comparison?.verdict === "control-failed" ? "cold-b" : "warm"}
          isRunning={isRunning}
          verdict={comparison?.verdict ?? null}
        />
      )}
      {!isRunning && <Cursor session={session} />}
      {state.kind === "done" && state.comparison.fork && state.comparison.verdict !== "control-failed" && (
        <MarginFigure fork={state.comparison.fork} done={state} />
      )}
      {canBeTakenApart(state) && (
        <a class="quiet" href={hashOf("why")}>
          {result.whyLink}
        </a>
      )}
      {comparison && (
        <SentPrompt prompt={comparison.prompt} templateKnownAs={templateKnownAs(session, state)} />
      )}
      <Details session={session} state={state} comparison={comparison} />
    </section>
  );
}

/** A fork that the order of additions made: one order for all shapes lets it go. */
export function canBeSwitchedOff(state: ComparisonState): state is DoneComparison {
  if (state.kind !== "done" || state.comparison.order !== "by-shape") return false;
  return ["forked", "tie"].includes(state.comparison.verdict);
}

/** Of the chat template in use; undefined where the prompt went without one. */
function templateKnownAs(session: Session, state: ComparisonState): string | null | undefined {
  const model = session.model.value;
  if (state.kind === "none" || state.inputs.request.prompt.kind !== "chat") return undefined;
  return model.kind === "ready" ? model.loaded.model.template_known_as : undefined;
}

function Cursor({ session }: { session: Session }) {
  const cold = session.comparisons.log.value.get("cold-a")?.steps ?? [];
  const warm = session.comparisons.log.value.get("warm")?.steps ?? [];
  return <TokenCursor session={session} cold={cold} warm={warm} fork={splitOf(cold, warm).fork} />;
}

interface DetailsProps {
  session: Session;
  state: ComparisonState;
  comparison: Comparison | null;
}

function Details({ session, state, comparison }: DetailsProps) {
  if (state.kind !== "done" && state.kind !== "failed") return null;
  const log = session.comparisons.log.value;
  const cold = log.get("cold-a")?.steps ?? [];
  const warm = log.get("warm")?.steps ?? [];
  const { fork } = splitOf(cold, warm);
  return (
    <details class="more">
      <summary>{messages.value.result.everyStep}</summary>
      {comparison && <RunsTable runs={comparison.runs} />}
      <StepsTable cold={cold} warm={warm} fork={fork} />
    </details>
  );
}
