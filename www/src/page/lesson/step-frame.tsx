// One step: predict, then try and explain. What was not predicted yet is not told.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { LessonSession } from "../lesson-session";
import type { Session } from "../session";
import { lessonWords } from "./lesson-words";

/** What every step is given. */
export interface StepProps {
  /** From 1. */
  number: number;
  session: Session;
  lesson: LessonSession;
}

interface StepFrameProps {
  number: number;
  prediction: ComponentChildren;
  /** Whether the prediction was checked. */
  isOpen: boolean;
  explain: readonly string[];
  children: ComponentChildren;
}

export function StepFrame({ number, prediction, isOpen, explain, children }: StepFrameProps) {
  const words = lessonWords.value;
  const id = useId();
  return (
    <section class="lesson-step" aria-labelledby={id} data-open={isOpen}>
      <h2 id={id} tabIndex={-1}>
        {words.step(number, words.steps[number - 1] ?? "")}
      </h2>
      <div class="lesson-part">
        <h3>{words.predict}</h3>
        {prediction}
      </div>
      {isOpen && (
        <>
          <div class="lesson-part">
            <h3>{words.try}</h3>
            {children}
          </div>
          {explain.length > 0 && (
            <div class="lesson-part lesson-explain">
              <h3>{words.explain}</h3>
              {explain.map((paragraph) => (
                <p key={paragraph}>{paragraph}</p>
              ))}
            </div>
          )}
        </>
      )}
    </section>
  );
}
