// A person's source on its way: its header being read, refused, or checked and ready to be loaded.
import { FailureNotice } from "../failure-notice";
import { choiceWords, type NextStep } from "../failures";
import { messages } from "../language";
import { whatStays } from "../load-failure";
import type { Session } from "../session";
import { fileWords } from "../sources";
import { StopButton } from "../stop-button";
import { FitCard } from "./fit-card";

interface ChoicePanelProps {
  session: Session;
  onLoad: () => void;
  onNext: (step: NextStep) => void;
}

export function ChoicePanel({ session, onLoad, onNext }: ChoicePanelProps) {
  const choice = session.choice.value;
  const words = messages.value.choice;
  const selection = session.selection.value;
  switch (choice.kind) {
    case "checking":
      return (
        <div class="load-line">
          <p>{words.readingHeader(fileWords(choice.source))}</p>
          <StopButton class="quiet" onStop={() => session.stop()}>
            {words.cancel}
          </StopButton>
        </div>
      );
    case "refused":
      return (
        <FailureNotice
          error={choice.error}
          words={{ ...choiceWords(choice.error, choice.source.kind), still_works: whatStays(session) }}
          onNext={onNext}
          onDismiss={() => session.choices.dismissRefusal()}
        />
      );
    case "none":
      if (selection.checked === null || session.choices.isLoaded()) return null;
      if (session.model.value.kind === "loading") return null;
      return (
        <FitCard
          selection={selection}
          checked={selection.checked}
          isBusy={session.isBusy.value || session.adapter.value.kind === "failed"}
          onLoad={onLoad}
        />
      );
  }
}
