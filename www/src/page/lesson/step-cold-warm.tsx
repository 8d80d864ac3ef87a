// Step 6: the visitor makes the fork, with the page's own comparison, and switches it off.
import { useState } from "preact/hooks";
import type { Comparison, Order } from "../../shared/engine-records";
import { FailureNotice } from "../failure-notice";
import { failureWords, type NextStep } from "../failures";
import { LoadProgress } from "../load-progress";
import { LESSON_MESSAGE } from "../prompts";
import { useRecordedFork } from "../recorded";
import { recordsNow } from "../run-log";
import { RunStrip } from "../run-strip";
import type { Session } from "../session";
import { sizeWords } from "../sources";
import { StopButton } from "../stop-button";
import { inputsFor } from "./cold-warm-inputs";
import { DotProductPanel } from "./dot-product-panel";
import { lessonWords } from "./lesson-words";
import { OutcomeCard } from "./outcome-card";
import { PredictionCard, usePrediction } from "./prediction";
import { StepFrame, type StepProps } from "./step-frame";

type ColdWarmProps = StepProps & { onNext: (step: NextStep) => void };
type Outcomes = Partial<Record<Order, Comparison>>;

export function StepColdWarm({ number: step, session, lesson, onNext }: ColdWarmProps) {
  const words = lessonWords.value;
  const prediction = usePrediction<"same" | "other">();
  const [outcomes, setOutcomes] = useState<Outcomes>({});
  const run = async (order: Order) => {
    const inputs = inputsFor(session.adapter.value, order);
    await session.run(() => inputs);
    const state = session.comparison.value;
    if (state.kind !== "done" || state.inputs !== inputs) return;
    setOutcomes((before) => ({ ...before, [order]: state.comparison }));
  };
  const byShape = outcomes["by-shape"];
  return (
    <StepFrame
      number={step}
      isOpen={prediction.isChecked}
      explain={byShape ? words.cold.explain : []}
      prediction={
        <PredictionCard
          session={session}
          question={words.cold.question}
          options={(["same", "other"] as const).map((value) => ({ value, label: words.cold.options[value] }))}
          prediction={prediction}
          truth={byShape ? truthOf(byShape) : null}
          label={words.cold.keep}
          pending={words.cold.nowRun}
        />
      }
    >
      <p>{words.cold.lead}</p>
      <p class="question">
        <span class="label">{words.cold.message}</span> <span lang="en">{LESSON_MESSAGE}</span>
      </p>
      <Controls session={session} hasFirst={byShape !== undefined} onRun={run} onNext={onNext} />
      <div class="outcomes">
        <OutcomeCard title={words.cold.byShape} comparison={byShape ?? null} />
        <OutcomeCard title={words.cold.invariant} comparison={outcomes.invariant ?? null} />
      </div>
      {byShape?.fork && outcomes.invariant?.verdict === "bit-identical" && (
        <p class="lesson-remark">{words.cold.switchedOff}</p>
      )}
      {byShape && isWithoutFork(byShape) && <RecordedOutcome />}
      <DotProductPanel session={session} lesson={lesson} />
    </StepFrame>
  );
}

function isWithoutFork({ verdict }: Comparison): boolean {
  return verdict === "same-tokens" || verdict === "bit-identical";
}

function truthOf(comparison: Comparison): { value: "same" | "other" | null; words: string } {
  const words = lessonWords.value;
  const value = comparison.fork ? "other" : isWithoutFork(comparison) ? "same" : null;
  return { value, words: words.found(value === null ? comparison.verdict : words.cold.options[value]) };
}

interface ControlsProps {
  session: Session;
  /** Whether the comparison by shape has ended. */
  hasFirst: boolean;
  onRun: (order: Order) => Promise<void>;
  onNext: (step: NextStep) => void;
}

function Controls({ session, hasFirst, onRun, onNext }: ControlsProps) {
  const words = lessonWords.value.cold;
  const state = session.comparison.value;
  const model = session.model.value;
  const adapter = session.adapter.value;
  session.comparisons.frame.value;
  if (model.kind === "loading") {
    return (
      <LoadProgress
        model={model}
        isTwin={adapter.kind === "cpu-twin"}
        news={session.loads.storageNews.value}
        onStop={() => session.stop()}
      />
    );
  }
  if (state.kind === "running") {
    return (
      <>
        <RunStrip
          records={recordsNow(session.comparisons.log.value)}
          maxTokens={state.inputs.request.max_tokens}
          comparison={null}
          isRunning
        />
        <StopButton isStopping={state.is_stopping} onStop={() => session.stop()}>
          {state.is_stopping ? words.stopping : words.stop}
        </StopButton>
      </>
    );
  }
  const size = sizeWords(session.selection.value);
  const failure = session.loads.failure.value?.error ?? (state.kind === "failed" ? state.error : null);
  return (
    <>
      {failure !== null && (
        <FailureNotice
          error={failure}
          words={failureWords(failure, session.selection.value.source.kind)}
          onNext={onNext}
        />
      )}
      {adapter.kind === "checking" && <p>{words.looking}</p>}
      {adapter.kind === "failed" && (
        <>
          <p>{words.noGpu}</p>
          <div class="buttons">
            <button
              type="button"
              class="primary"
              onClick={() => {
                session.chooseCpuTwin();
                void onRun("by-shape");
              }}
            >
              {words.onCpu(size)}
            </button>
          </div>
        </>
      )}
      {(adapter.kind === "found" || adapter.kind === "cpu-twin") && (
        <div class="buttons">
          <button
            type="button"
            class={hasFirst ? "" : "primary"}
            disabled={session.isBusy.value}
            onClick={() => onRun("by-shape")}
          >
            {model.kind === "ready" ? words.make : words.makeAndLoad(size)}
          </button>
          <button
            type="button"
            class={hasFirst ? "primary" : ""}
            disabled={session.isBusy.value || !hasFirst}
            onClick={() => onRun("invariant")}
          >
            {words.off}
          </button>
        </div>
      )}
    </>
  );
}

function RecordedOutcome() {
  const words = lessonWords.value.cold;
  const recorded = useRecordedFork(true);
  if (typeof recorded === "string") return null;
  return (
    <>
      <p>{words.noFork}</p>
      <OutcomeCard title={words.recorded(recorded.device.driver)} comparison={recorded.comparison} />
    </>
  );
}
