// Why there is no model: a device that is missing, or a load that failed.
import { FailureNotice } from "./failure-notice";
import { failureWords, type NextStep } from "./failures";
import { messages } from "./language";
import type { Session } from "./session";
import { titleOf } from "./sources";

export function LoadFailure({ session, onNext }: { session: Session; onNext: (step: NextStep) => void }) {
  const adapter = session.adapter.value;
  const failure = session.loads.failure.value;
  const error = adapter.kind === "failed" ? adapter.error : failure?.error;
  if (error === undefined) return null;
  const isInTheWay = adapter.kind === "failed" || session.model.value.kind !== "ready";
  const words = failureWords(
    error,
    adapter.kind === "failed" ? "built-in" : session.selection.value.source.kind,
  );
  return (
    <div class="load-failure">
      {isInTheWay ? (
        <FailureNotice error={error} words={words} onNext={onNext} />
      ) : (
        <FailureNotice
          error={error}
          words={{ ...words, still_works: whatStays(session) }}
          onNext={onNext}
          onDismiss={() => session.loads.dismissFailure()}
        />
      )}
    </div>
  );
}

/** What a person still has after a source was refused. */
export function whatStays(session: Session): string {
  const model = session.model.value;
  const { choice } = messages.value;
  return model.kind === "ready"
    ? choice.staysLoaded(titleOf(model.selection))
    : choice.builtInRemains(session.builtIn.title);
}
