// One failure: what happened, what still works, what to do, and a button that does it.
import type { EngineError } from "../shared/protocol";
import { failureWords, type NextStep } from "./failures";

interface FailureNoticeProps {
  error: EngineError;
  onNext: (step: NextStep) => void;
}

export function FailureNotice({ error, onNext }: FailureNoticeProps) {
  const words = failureWords(error);
  return (
    <section class="failure" aria-labelledby="failure-heading" data-code={error.code}>
      <h2 id="failure-heading">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.5 15 14H1Z M8 6v4 M8 12v.01" />
        </svg>
        {words.title}
      </h2>
      <dl>
        <dt>What happened</dt>
        <dd>{error.message}</dd>
        <dt>What still works</dt>
        <dd>{words.still_works}</dd>
        <dt>What to do</dt>
        <dd>{error.what_to_do}</dd>
      </dl>
      <button type="button" onClick={() => onNext(words.next)}>
        {words.next_label}
      </button>
    </section>
  );
}
