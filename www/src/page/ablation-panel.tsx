// Whose order of addition is to blame: every site's order changed by itself, in groups, and all together.
import type { Ablation, AblationCase, AblationOutcome } from "../shared/engine-records";
import type { NextStep } from "./failures";
import { InquiryPanel } from "./inquiry-panel";
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
                name={groupWords(group.group)}
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

/** What a cold and a warm run came to, with a mark that needs no colour. */
export function outcomeWords({ first_differing, fork, n_steps }: AblationOutcome): string {
  const { ablation } = whyWords.value;
  if (first_differing === null) return ablation.equalBits(n_steps);
  return fork === null ? ablation.otherBits(first_differing + 1, n_steps) : ablation.fork(fork + 1);
}

/** The group of all sites, which is tried last. */
const LAST_GROUP = "all";

/** A site by its name, several by a word for them. */
function groupWords(group: string): string {
  const { groups } = whyWords.value.ablation;
  return Object.hasOwn(groups, group) ? groups[group as keyof typeof groups] : group;
}

/** What the ablation found, in a sentence or two. */
export function findingWords({ by_shape, cases }: Ablation): string {
  const { ablation } = whyWords.value;
  if (by_shape.first_differing === null) return ablation.nothingToTakeAway;
  if (cases.at(-1)?.group !== LAST_GROUP) return ablation.stoppedAfter(cases.length);
  const causes = cases.filter(
    ({ sites, made_by_shape }) => sites.length === 1 && made_by_shape.first_differing !== null,
  );
  const forks = causes.filter(({ made_by_shape }) => made_by_shape.fork !== null);
  const removes = cases
    .filter(({ made_invariant }) => made_invariant.first_differing === null)
    .toSorted((a, b) => a.sites.length - b.sites.length)[0];
  const list = (found: readonly AblationCase[]) =>
    found.length > 0 ? found.map(({ group }) => groupWords(group)).join(", ") : ablation.noSingle;
  return ablation.finding(
    list(causes),
    list(forks),
    removes ? groupWords(removes.group) : ablation.nothingTried,
  );
}
