// The view Lesson: six steps from a sum to a fork, for a class or for one person.
import { useEffect, useRef, useState } from "preact/hooks";
import "./lesson.css";
import "./figures.css";
import "./worksheet.css";
import { hashOf } from "../address";
import type { NextStep } from "../failures";
import { preference } from "../preference";
import type { Session } from "../session";
import { address, isLocked } from "../views";
import { lessonWords } from "./lesson-words";
import { StepChoice } from "./step-choice";
import { StepColdWarm } from "./step-cold-warm";
import { StepEightNumbers } from "./step-eight-numbers";
import { stepFrom } from "./step-number";
import { StepThreeNumbers } from "./step-three-numbers";
import { StepTrees } from "./step-trees";
import { StepWhy } from "./step-why";
import { Worksheet } from "./worksheet";

/** Larger type and stronger contrast, for the back row. */
const projector = preference("projector", ["off", "on"], "off");

interface LessonViewProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function LessonView({ session, onNext }: LessonViewProps) {
  const words = lessonWords.value;
  const step = stepFrom(address.value.parameters);
  const [round, setRound] = useState(0);
  const steps = useRef<HTMLDivElement>(null);
  useProjector(projector.value === "on");
  useHeadingFocus(step, steps);
  const props = { session, lesson: session.lesson };
  return (
    <div class="lesson">
      <nav class="lesson-steps" aria-label={words.stepsLabel}>
        <ol>
          {words.steps.map((title, index) => (
            <li key={title}>
              <a href={linkTo(index + 1)} aria-current={index + 1 === step ? "step" : undefined}>
                <span class="step-number">{index + 1}</span> {title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <div class="lesson-tools buttons">
        <button
          type="button"
          class="quiet"
          aria-pressed={projector.value === "on"}
          onClick={() => {
            projector.value = projector.value === "on" ? "off" : "on";
          }}
        >
          {words.projector}
        </button>
        <button type="button" class="quiet" onClick={() => setRound(round + 1)}>
          {words.startOver}
        </button>
        <button type="button" class="quiet" onClick={() => print()}>
          {words.print}
        </button>
      </div>
      <div ref={steps} key={round}>
        <div hidden={step !== 1}>
          <StepThreeNumbers number={1} {...props} />
        </div>
        <div hidden={step !== 2}>
          <StepWhy number={2} {...props} />
        </div>
        <div hidden={step !== 3}>
          <StepEightNumbers number={3} {...props} />
        </div>
        <div hidden={step !== 4}>
          <StepTrees number={4} {...props} />
        </div>
        <div hidden={step !== 5}>
          <StepChoice number={5} {...props} />
        </div>
        <div hidden={step !== 6}>
          <StepColdWarm number={6} {...props} onNext={onNext} />
        </div>
      </div>
      <p class="lesson-turn">
        {step > 1 && <a href={linkTo(step - 1)}>← {words.previous}</a>}
        {step < words.steps.length && (
          <a class="primary" href={linkTo(step + 1)}>
            {words.next}: {words.steps[step]} →
          </a>
        )}
      </p>
      <Worksheet />
    </div>
  );
}

/** The address of a step; a locked lesson stays locked. */
function linkTo(step: number): string {
  return hashOf(
    "lesson",
    new URLSearchParams({ step: String(step), ...(isLocked.value ? { lock: "1" } : {}) }),
  );
}

function useProjector(isOn: boolean): void {
  useEffect(() => {
    document.documentElement.toggleAttribute("data-projector", isOn);
    return () => document.documentElement.removeAttribute("data-projector");
  }, [isOn]);
}

/** Another step is read from its heading on. */
function useHeadingFocus(step: number, steps: { current: HTMLElement | null }): void {
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    const heading = [...(steps.current?.querySelectorAll<HTMLElement>("h2") ?? [])].find(
      (h2) => h2.offsetParent !== null,
    );
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [step, steps]);
}
