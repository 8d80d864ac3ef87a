// Whether this device gives the bits of the CPU twin, and so those of every device that does: claim level L4, checked here.
import type { TwinCheck } from "../shared/engine-records";
import type { NextStep } from "./failures";
import { InquiryPanel } from "./inquiry-panel";
import { messages } from "./language";
import type { Session } from "./session";
import { whyWords } from "./why-words";

interface TwinPanelProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function TwinPanel({ session, onNext }: TwinPanelProps) {
  const words = whyWords.value.twin;
  return (
    <InquiryPanel
      session={session}
      state={session.why.twin.value}
      words={words}
      running={(tokens) => ({ told: tokens === null ? words.first : words.computed(tokens) })}
      onBegin={() => session.why.checkTwin()}
      onNext={onNext}
    >
      {(check) => (
        <p class="twin-check" data-claim={check.claim ?? "none"}>
          <strong>{words.heading}</strong> <TwinFound check={check} />
        </p>
      )}
    </InquiryPanel>
  );
}

function TwinFound({ check }: { check: TwinCheck }) {
  const words = whyWords.value.twin;
  const { claim, first_difference, n_steps, reason } = check;
  if (claim !== null) return <>{words.holds(n_steps)}</>;
  if (first_difference === null) return <span lang="en">{words.notClaimed(reason ?? "")}</span>;
  const [run, index] = first_difference;
  return <>{words.differs(messages.value.result.runs[run].title, index + 1)}</>;
}
