// One failure: what happened, what still works, what to do, and a button that does it.
import { useId } from "preact/hooks";
import type { EngineError } from "../shared/engine-records";
import { type FailureWords, failureWords, isOwnWish, type NextStep, type Told, toldOf } from "./failures";
import { messages } from "./language";

interface FailureNoticeProps {
  error: EngineError;
  words?: FailureWords;
  onNext: (step: NextStep) => void;
  /** For a failure that stands in nobody's way. */
  onDismiss?: () => void;
}

export function FailureNotice({ error, words = failureWords(error), onNext, onDismiss }: FailureNoticeProps) {
  const heading = useId();
  const { failures } = messages.value;
  const { happened, to_do } = toldOf(error);
  const isNote = isOwnWish(error);
  return (
    <section
      class="failure"
      aria-labelledby={heading}
      data-code={error.code}
      data-tone={isNote ? "note" : "alert"}
    >
      <h2 id={heading}>
        {!isNote && (
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 1.5 15 14H1Z M8 6v4 M8 12v.01" />
          </svg>
        )}
        {words.title}
      </h2>
      <dl>
        <dt>{failures.whatHappened}</dt>
        <ToldWords told={happened} />
        <dt>{failures.whatStillWorks}</dt>
        <dd>{words.still_works}</dd>
        <dt>{failures.whatToDo}</dt>
        <ToldWords told={to_do} />
        <dt>{failures.code}</dt>
        <dd>
          <code>{error.code}</code>
        </dd>
      </dl>
      <div class="buttons">
        <button type="button" data-heir onClick={() => onNext(words.next)}>
          {words.next_label}
        </button>
        {onDismiss && (
          <button type="button" class="quiet" onClick={onDismiss}>
            {failures.dismiss}
          </button>
        )}
      </div>
    </section>
  );
}

function ToldWords({ told: { text, lang, detail } }: { told: Told }) {
  return (
    <dd>
      <span lang={lang}>{text}</span>
      {detail !== null && (
        <p class="hint" lang="en">
          {detail}
        </p>
      )}
    </dd>
  );
}
