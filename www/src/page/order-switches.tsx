// Whose order of addition is to blame, asked by hand: a switch for each place of the forward pass, and what cold and warm come to under
// the choice that is set.
import { useId } from "preact/hooks";
import type { Site } from "../shared/engine-records";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import { type OrderTrial, SITES } from "./order-trials";
import { choiceWords, outcomeWords } from "./order-words";
import { Scrolling } from "./scrolling";
import type { Session } from "./session";
import { StopButton } from "./stop-button";
import { whyWords } from "./why-words";

interface OrderSwitchesProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function OrderSwitches({ session, onNext }: OrderSwitchesProps) {
  const { trials } = session.why;
  const words = whyWords.value.orders;
  const chosen = trials.chosen.value;
  const state = trials.state.value;
  const isHeld = state.kind === "failed" || (!session.canAsk.value && state.kind !== "running");
  const choose = (invariant: readonly Site[]) => session.why.chooseOrders(invariant, outcomeWords);
  return (
    <div class="inquiry order-switches">
      <p>
        <strong>{words.heading}</strong> {words.explained}
      </p>
      <fieldset disabled={isHeld}>
        <legend>{words.legend}</legend>
        <div class="places">
          {SITES.map((site) => (
            <Place
              key={site}
              site={site}
              isInvariant={chosen.includes(site)}
              onSwitch={() => choose(SITES.filter((other) => chosen.includes(other) !== (other === site)))}
            />
          ))}
        </div>
        <div class="buttons">
          <button type="button" onClick={() => choose([])}>
            {words.setAllByShape}
          </button>
          <button type="button" onClick={() => choose(SITES)}>
            {words.setAllInvariant}
          </button>
        </div>
      </fieldset>
      <Outcome session={session} isHeld={isHeld} onRun={() => choose(chosen)} onNext={onNext} />
      {trials.tried.value.length > 0 && <Tried trials={trials.tried.value} />}
    </div>
  );
}

interface PlaceProps {
  site: Site;
  isInvariant: boolean;
  onSwitch: () => void;
}

function Place({ site, isInvariant, onSwitch }: PlaceProps) {
  const { places, meanings, byShape, invariant } = whyWords.value.orders;
  const described = useId();
  return (
    <div class="place">
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={isInvariant}
          aria-checked={isInvariant}
          aria-describedby={described}
          onChange={onSwitch}
        />
        <span>{places[site]}</span>
      </label>
      <p id={described}>
        <strong>{isInvariant ? invariant : byShape}</strong> <span class="hint">{meanings[site]}</span>
      </p>
    </div>
  );
}

interface OutcomeProps {
  session: Session;
  isHeld: boolean;
  onRun: () => void;
  onNext: (step: NextStep) => void;
}

function Outcome({ session, isHeld, onRun, onNext }: OutcomeProps) {
  const { trials } = session.why;
  const { orders: words, stop, stopping } = whyWords.value;
  const state = trials.state.value;
  const outcome = trials.outcome();
  if (state.kind === "failed") return <FailureNotice error={state.error} onNext={onNext} />;
  const chosen = choiceWords(trials.chosen.value);
  if (state.kind === "running") {
    return (
      <div class="why-offer order-outcome">
        <p>{words.running(chosen)}</p>
        <StopButton isStopping={state.is_stopping} onStop={() => session.stop()}>
          {state.is_stopping ? stopping : stop}
        </StopButton>
        <progress aria-label={words.progress} />
      </div>
    );
  }
  return (
    <div class="why-offer order-outcome">
      {outcome ? (
        <p tabIndex={-1} data-heir>
          {words.chosen(chosen)} <strong>{outcomeWords(outcome)}</strong>
        </p>
      ) : (
        <>
          <p>{words.untried(chosen)}</p>
          <button type="button" data-heir disabled={isHeld} onClick={onRun}>
            {words.run}
          </button>
        </>
      )}
    </div>
  );
}

function Tried({ trials }: { trials: readonly OrderTrial[] }) {
  const words = whyWords.value.orders;
  return (
    <Scrolling name={words.tried}>
      <table>
        <caption>{words.tried}</caption>
        <thead>
          <tr>
            <th scope="col">{words.choice}</th>
            <th scope="col">{words.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {trials.map(({ invariant, outcome }) => (
            <tr key={invariant.join()}>
              <th scope="row">{choiceWords(invariant)}</th>
              <td>{outcomeWords(outcome)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}
