// Step 5: from the last bits of a sum to another word: a margin against the drift of a real comparison.

import { sourceOf } from "../figure-title";
import { count } from "../format";
import { type RecordedComparison, type RecordedState, sourceOfRecord, useRecordedFork } from "../recorded";
import type { Session } from "../session";
import type { DoneComparison } from "../session-state";
import { type Decision, decisionsOf, isWithinReach } from "./decisions";
import { DecisionsFigure } from "./decisions-figure";
import { lessonWords } from "./lesson-words";
import { MarginSlider } from "./margin-slider";
import { PredictionCard, usePrediction } from "./prediction";
import { StepFrame, type StepProps } from "./step-frame";

export function StepChoice({ number: step, session }: StepProps) {
  const lesson = lessonWords.value;
  const words = lesson.choice;
  const prediction = usePrediction<"yes" | "no">();
  const own = comparisonWithDrift(session);
  const shown = own && decisionsOf(own.comparison);
  const recorded = useRecordedFork(prediction.isChecked && shown === null);
  const decisions = shown ?? decisionsOfRecord(recorded);
  const source = own
    ? sourceOf(own)
    : typeof recorded === "string"
      ? ""
      : sourceOfRecord(recorded, session.builtIn);
  const within = decisions.filter(({ margin, drift }) => isWithinReach(margin, drift));
  return (
    <StepFrame
      number={step}
      isOpen={prediction.isChecked}
      explain={[
        words.explain,
        ...(decisions.length > 0 ? [words.explainReach(count(within.length), count(decisions.length))] : []),
      ]}
      prediction={
        <PredictionCard
          session={session}
          question={words.question}
          options={(["yes", "no"] as const).map((value) => ({ value, label: words.options[value] }))}
          prediction={prediction}
          truth={{ value: "no", words: words.truth }}
        />
      }
    >
      <p>{words.lead}</p>
      {decisions.length > 0 ? (
        <>
          <MarginSlider decisions={decisions} source={source} />
          <DecisionsFigure decisions={decisions} n_within={within.length} source={source} />
          <p class="hint">{words.driftIs}</p>
          <p class="hint">{fromWords(shown !== null, recorded)}</p>
        </>
      ) : (
        <p>{recorded === "unreadable" ? words.unreadable : words.loading}</p>
      )}
    </StepFrame>
  );
}

/** The comparison that a person ran, where its logits drifted. */
function comparisonWithDrift(session: Session): DoneComparison | null {
  const state = session.comparison.value;
  if (state.kind !== "done") return null;
  return decisionsOf(state.comparison).some(({ drift }) => drift > 0) ? state : null;
}

function decisionsOfRecord(recorded: RecordedState<RecordedComparison>): Decision[] {
  return typeof recorded === "string" ? [] : decisionsOf(recorded.comparison);
}

function fromWords(isOnShow: boolean, recorded: RecordedState<RecordedComparison>): string {
  const words = lessonWords.value.choice;
  if (isOnShow) return words.onShow;
  return typeof recorded === "string" ? "" : words.recorded(recorded.device.driver);
}
