// A question before its answer: nothing is computed, and no engine fetched, until someone has said what they expect.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { EngineError } from "../../shared/engine-records";
import { toldOf } from "../failures";
import type { Session } from "../session";
import { lessonWords } from "./lesson-words";

interface Option<T extends string> {
  value: T;
  label: string;
}

export interface Prediction<T extends string> {
  chosen: T | null;
  choose: (value: T) => void;
  isChecked: boolean;
  check: () => void;
}

export function usePrediction<T extends string>(): Prediction<T> {
  const [chosen, choose] = useState<T | null>(null);
  const [isChecked, setIsChecked] = useState(false);
  return { chosen, choose, isChecked, check: () => setIsChecked(true) };
}

interface PredictionCardProps<T extends string> {
  session: Session;
  question: string;
  options: readonly Option<T>[];
  prediction: Prediction<T>;
  /** What is so, once it is known. */
  truth: { value: T | null; words: string } | null;
  error?: EngineError | null;
  /** Of the button; that of most steps where none is given. */
  label?: string;
  /** While the truth is not known yet. */
  pending?: string;
}

export function PredictionCard<T extends string>(props: PredictionCardProps<T>) {
  const { session, question, options, prediction, truth, error = null, label, pending } = props;
  const words = lessonWords.value;
  const name = useId();
  const isTold = useRef(false);
  // Once: what is so may change with what is tried later.
  useEffect(() => {
    if (isTold.current || !prediction.isChecked || truth === null) return;
    isTold.current = true;
    session.announce(truth.words);
  }, [prediction.isChecked, truth, session]);
  return (
    <div class="prediction">
      <fieldset disabled={prediction.isChecked}>
        <legend>{question}</legend>
        <div class="prediction-options">
          {options.map((option) => (
            <label key={option.value}>
              <input
                type="radio"
                name={name}
                checked={option.value === prediction.chosen}
                onChange={() => prediction.choose(option.value)}
              />
              <span>{option.label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {prediction.isChecked ? (
        <div tabIndex={-1} data-heir>
          <Outcome {...{ options, prediction, truth, error }} pending={pending ?? words.computing} />
        </div>
      ) : (
        <div class="prediction-check">
          <button
            type="button"
            class="primary"
            disabled={prediction.chosen === null}
            onClick={prediction.check}
          >
            {label ?? words.check}
          </button>
          {prediction.chosen === null && <p class="hint">{words.chooseFirst}</p>}
        </div>
      )}
    </div>
  );
}

type OutcomeProps<T extends string> = Pick<PredictionCardProps<T>, "options" | "prediction" | "truth"> & {
  error: EngineError | null;
  pending: string;
};

function Outcome<T extends string>({ options, prediction, truth, error, pending }: OutcomeProps<T>) {
  const words = lessonWords.value;
  if (error !== null) return <p class="lesson-error">{words.failed(toldOf(error).happened.text)}</p>;
  const said = options.find(({ value }) => value === prediction.chosen)?.label ?? "";
  if (truth === null) {
    return (
      <p>
        {words.youSaid(said)} {pending}
      </p>
    );
  }
  const isRight = truth.value === prediction.chosen;
  return (
    <div class="outcome-of-prediction" data-right={isRight}>
      <p>{words.youSaid(said)}</p>
      <p class="lesson-truth">{truth.words}</p>
      <p>{isRight ? words.agreed : words.notAgreed}</p>
    </div>
  );
}
