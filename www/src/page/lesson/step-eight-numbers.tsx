// Step 3: eight numbers in every order there is, and in the order that a person chooses.

import { useState } from "preact/hooks";
import { count } from "../format";
import { messages } from "../language";
import { type Forest, inSequence, leaves } from "./forest";
import { ForestEditor } from "./forest-editor";
import { lessonWords } from "./lesson-words";
import { leaf, number } from "./numbers";
import { OrderResults } from "./order-results";
import { PredictionCard, usePrediction } from "./prediction";
import { computedOn, SourceNote } from "./source-note";
import { StepFrame, type StepProps } from "./step-frame";
import { useAnswer } from "./use-answer";

/** On paper they make 5. */
export const EIGHT: readonly number[] = [1024, 0.5, 0.5, 0.5, -1024, 0.25, 0.25, 3];

const OPTIONS = ["one", "few", "some", "many"] as const;
type Option = (typeof OPTIONS)[number];

/** Which answer a number of results is. Pure. */
export function optionOf(n_results: number): Option {
  if (n_results === 1) return "one";
  if (n_results <= 5) return "few";
  return n_results <= 20 ? "some" : "many";
}

export function StepEightNumbers({ number: step, session, lesson }: StepProps) {
  const words = lessonWords.value;
  const { language } = messages.value;
  const prediction = usePrediction<Option>();
  const [forest, setForest] = useState<Forest>(() => leaves(EIGHT.length));
  const isAsked = prediction.isChecked;
  const all = useAnswer(lesson, isAsked ? { kind: "orders", format: "f16", values: EIGHT } : null);
  const own = useAnswer(
    lesson,
    isAsked ? { kind: "trees", format: "f16", values: EIGHT, trees: [inSequence(forest)] } : null,
  );
  const { answer } = all;
  const total = own.isPending ? undefined : own.answer?.trees[0]?.total;
  return (
    <StepFrame
      number={step}
      isOpen={answer !== null}
      explain={words.eight.explain}
      prediction={
        <PredictionCard
          session={session}
          question={words.eight.question}
          options={OPTIONS.map((value) => ({ value, label: words.eight.options[value] }))}
          prediction={prediction}
          truth={
            answer && {
              value: optionOf(answer.results.length),
              words: words.found(words.eight.truth(count(answer.results.length), count(answer.n_orders))),
            }
          }
          error={all.error}
        />
      }
    >
      <p>{words.eight.lead}</p>
      <ForestEditor
        forest={forest}
        onChange={setForest}
        leafWords={(index) => leaf(EIGHT[index] ?? 0, language)}
        canJoin={false}
        source={computedOn(answer?.computed, session)}
      />
      <p class="lesson-sum numbers">
        {words.eight.yourOrder} <output>{total === undefined ? "…" : number(total, language)}</output>
      </p>
      {answer && <OrderResults answer={answer} own={total} source={computedOn(answer.computed, session)} />}
      <SourceNote session={session} computed={answer?.computed} isPending={all.isPending} />
    </StepFrame>
  );
}
