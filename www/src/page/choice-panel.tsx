// A person's source on its way: its header being read, refused, or checked and ready to be loaded.

import { FailureNotice } from "./failure-notice";
import { choiceWords, type NextStep } from "./failures";
import { FitCard } from "./fit-card";
import type { Session } from "./session";
import { fileWords, titleOf } from "./sources";

interface ChoicePanelProps {
  session: Session;
  onLoad: () => void;
  onNext: (step: NextStep) => void;
}

export function ChoicePanel({ session, onLoad, onNext }: ChoicePanelProps) {
  const choice = session.choice.value;
  const selection = session.selection.value;
  switch (choice.kind) {
    case "checking":
      return (
        <div class="load-line">
          <p>Reading the header of {fileWords(choice.source)} …</p>
          <button type="button" class="quiet" onClick={() => session.stop()}>
            Cancel
          </button>
        </div>
      );
    case "refused": {
      const words = choiceWords(choice.error, choice.source.kind);
      return (
        <FailureNotice
          error={choice.error}
          words={{ ...words, still_works: whatStays(session) }}
          onNext={onNext}
          onDismiss={() => session.dismissRefusal()}
        />
      );
    }
    case "none":
      if (selection.checked === null || session.isSelectionLoaded()) return null;
      if (session.model.value.kind === "loading") return null;
      return (
        <FitCard
          selection={selection}
          checked={selection.checked}
          isBusy={session.isBusy.value}
          onLoad={onLoad}
        />
      );
  }
}

/** What a person still has after a source was refused. */
export function whatStays(session: Session): string {
  const model = session.model.value;
  return model.kind === "ready"
    ? `${titleOf(model.selection)} stays loaded and can be run as before.`
    : `Nothing was loaded, and ${session.builtIn.title}, which comes with this page, can be.`;
}
