// Whose order of addition is to blame: every place's order changed by itself, in groups, and all together.
import type { Ablation, AblationOutcome } from "../shared/engine-records";
import type { NextStep } from "./failures";
import { InquiryPanel } from "./inquiry-panel";
import { outcomeWords, placesWords } from "./order-words";
import { Scrolling } from "./scrolling";
import type { Session } from "./session";
import { whyWords } from "./why-words";

interface AblationPanelProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function AblationPanel({ session, onNext }: AblationPanelProps) {
  const words = whyWords.value.ablation;
  return (
    <InquiryPanel
      session={session}
      state={session.why.ablation.value}
      words={words}
      running={(event) =>
        event ? { told: words.tried(event.done, event.of), ...event } : { told: words.first }
      }
      onBegin={() => session.why.ablate()}
      onNext={onNext}
      wasStopped={(found) => found === null || found.was_cancelled}
    >
      {(ablation) => (ablation ? <Found ablation={ablation} /> : <p>{words.nothingKnown}</p>)}
    </InquiryPanel>
  );
}

function Found({ ablation }: { ablation: Ablation }) {
  const words = whyWords.value.ablation;
  return (
    <figure class="ablation">
      <figcaption>
        <strong>{words.heading}</strong> {findingWords(ablation)}
      </figcaption>
      <Scrolling name={words.heading}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.changed}</th>
              <th scope="col">{words.madeInvariant}</th>
              <th scope="col">{words.madeByShape}</th>
            </tr>
          </thead>
          <tbody>
            <Row name={words.nothing} left={ablation.by_shape} right={ablation.invariant} />
            {ablation.cases.map((group) => (
              <Row
                key={group.group}
                name={placesWords([group.group])}
                left={group.made_invariant}
                right={group.made_by_shape}
              />
            ))}
          </tbody>
        </table>
      </Scrolling>
    </figure>
  );
}

function Row({ name, left, right }: { name: string; left: AblationOutcome; right: AblationOutcome }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{outcomeWords(left)}</td>
      <td>{outcomeWords(right)}</td>
    </tr>
  );
}

/** What the ablation found, in a sentence or two. */
export function findingWords({ by_shape, cases, was_cancelled, causes, forks, removes }: Ablation): string {
  const { ablation } = whyWords.value;
  if (by_shape.first_differing === null) return ablation.nothingToTakeAway;
  if (was_cancelled) return ablation.stoppedAfter(cases.length);
  const list = (found: readonly string[]) => (found.length > 0 ? placesWords(found) : ablation.noSingle);
  const least = removes.slice(0, 1);
  return ablation.finding(
    list(causes),
    list(forks),
    least.length > 0 ? placesWords(least) : ablation.nothingTried,
  );
}
