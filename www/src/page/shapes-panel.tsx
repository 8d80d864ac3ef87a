// Whether the answer stays when the prompt is computed in other shapes: claim level L2, checked here.
import type { Order, ShapeCheck } from "../shared/engine-records";
import type { NextStep } from "./failures";
import { count } from "./format";
import { InquiryPanel } from "./inquiry-panel";
import { Scrolling } from "./scrolling";
import type { Session } from "./session";
import { whyWords } from "./why-words";

interface ShapesPanelProps {
  session: Session;
  /** Of the comparison on show. */
  order: Order;
  onNext: (step: NextStep) => void;
}

export function ShapesPanel({ session, order, onNext }: ShapesPanelProps) {
  const words = whyWords.value.shapes;
  return (
    <InquiryPanel
      session={session}
      state={session.why.shapes.value}
      words={words}
      running={(event) =>
        event ? { told: words.tried(event.done, event.of), ...event } : { told: words.first }
      }
      onBegin={() => session.why.checkShapes()}
      onNext={onNext}
      wasStopped={(found) => found === null || found.was_cancelled}
    >
      {(check) => (check ? <Found check={check} order={order} /> : <p>{words.nothingKnown}</p>)}
    </InquiryPanel>
  );
}

function Found({ check, order }: { check: ShapeCheck; order: Order }) {
  const words = whyWords.value.shapes;
  return (
    <figure class="shapes" data-claim={check.claim ?? "none"}>
      <figcaption>
        <strong>{words.heading}</strong> {foundWords(check, order)}
      </figcaption>
      <details class="more">
        <summary>{words.asTable}</summary>
        <Scrolling name={words.heading}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.chunk}</th>
                <th scope="col">{words.reused}</th>
                <th scope="col">{words.neighbours}</th>
                <th scope="col">{words.outcome}</th>
              </tr>
            </thead>
            <tbody>
              {check.shapes.map(({ shape, first_difference }) => (
                <tr key={`${shape.chunk_rows}/${shape.reused_tokens}/${shape.n_neighbours}`}>
                  <td>{count(shape.chunk_rows)}</td>
                  <td>{count(shape.reused_tokens)}</td>
                  <td>{count(shape.n_neighbours)}</td>
                  <td>{first_difference === null ? words.equal : words.other(first_difference + 1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      </details>
    </figure>
  );
}

/** What the check came to, in a sentence. */
export function foundWords(check: ShapeCheck, order: Order): string {
  const { shapes, n_differing, n_tokens, claim, was_cancelled } = check;
  const words = whyWords.value.shapes;
  if (n_differing > 0) return words.differ(n_differing, shapes.length);
  if (was_cancelled) return words.stopped(shapes.length);
  if (claim !== null) return words.holds(shapes.length, n_tokens);
  return order === "invariant" ? words.noRoom(shapes.length) : words.luck(shapes.length);
}
