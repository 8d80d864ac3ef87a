// A question about the comparison on show: offered, on its way, failed or answered.
import type { ComponentChildren } from "preact";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import type { Session } from "./session";
import type { InquiryState } from "./session-state";
import { StopButton } from "./stop-button";
import { whyWords } from "./why-words";

interface InquiryPanelProps<Event, Found> {
  session: Session;
  state: InquiryState<Event, Found>;
  words: { heading: string; explained: string; begin: string; progress: string };
  /** What is told while it runs; a share of the whole where that is known. */
  running: (event: Event | null) => { told: string; done?: number; of?: number };
  onBegin: () => void;
  onNext: (step: NextStep) => void;
  /** Whether a stop left it without its whole answer: it can be asked again then. */
  wasStopped?: (found: Found) => boolean;
  children: (found: Found) => ComponentChildren;
}

export function InquiryPanel<Event, Found>(props: InquiryPanelProps<Event, Found>) {
  return <div class="inquiry">{contentOf(props)}</div>;
}

function contentOf<Event, Found>(props: InquiryPanelProps<Event, Found>): ComponentChildren {
  const { session, state, words, running, onBegin, onNext, wasStopped, children } = props;
  const { stop, stopping } = whyWords.value;
  const offer = (
    <div class="why-offer">
      <p>
        <strong>{words.heading}</strong> {words.explained}
      </p>
      <button type="button" data-heir disabled={!session.canAsk.value} onClick={onBegin}>
        {words.begin}
      </button>
    </div>
  );
  switch (state.kind) {
    case "none":
      return offer;
    case "running": {
      const { told, done, of } = running(state.event);
      return (
        <div class="why-offer">
          <p>{told}</p>
          <StopButton isStopping={state.is_stopping} onStop={() => session.stop()}>
            {state.is_stopping ? stopping : stop}
          </StopButton>
          <progress aria-label={words.progress} value={done} max={of} />
        </div>
      );
    }
    case "failed":
      return <FailureNotice error={state.error} onNext={onNext} />;
    case "done":
      return (
        <>
          <div class="inquiry" tabIndex={-1} data-heir>
            {children(state.found)}
          </div>
          {wasStopped?.(state.found) && offer}
        </>
      );
  }
}
