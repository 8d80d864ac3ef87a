// One place in both answers at once: what cold and warm chose there, and by how much. A slider, so that arrow keys move it.
import type { Step } from "../shared/engine-records";
import { margin, quotedToken } from "./format";
import { messages } from "./language";
import { SideMark } from "./run-strip";
import type { Session } from "./session";

interface TokenCursorProps {
  session: Session;
  cold: readonly Step[];
  warm: readonly Step[];
  fork: number | null;
}

/** By its id the shortcut to the fork finds the slider. */
export const CURSOR_ID = "token-cursor";

export function TokenCursor({ session, cold, warm, fork }: TokenCursorProps) {
  const length = Math.max(cold.length, warm.length);
  if (length === 0) return null;
  const { cursor } = messages.value;
  const index = Math.min(session.comparisons.cursor.value ?? fork ?? 0, length - 1);
  const move = (event: Event & { currentTarget: HTMLInputElement }) => {
    session.comparisons.cursor.value = event.currentTarget.valueAsNumber - 1;
  };
  return (
    <div class="token-cursor">
      <label class="field">
        <span class="label">{cursor.title(index + 1, length)}</span>
        <input
          id={CURSOR_ID}
          type="range"
          min={1}
          max={length}
          value={index + 1}
          aria-valuetext={`${cursor.title(index + 1, length)}: ${sentence(cold[index])}; ${sentence(warm[index])}`}
          onInput={move}
        />
      </label>
      {fork !== null && fork !== index && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            session.comparisons.cursor.value = fork;
          }}
        >
          {cursor.toFork(fork + 1)}
        </button>
      )}
      <dl class="margin-values">
        <Chosen side="cold" title={cursor.cold} step={cold[index]} />
        <Chosen side="warm" title={cursor.warm} step={warm[index]} />
      </dl>
    </div>
  );
}

function Chosen({ side, title, step }: { side: "cold" | "warm"; title: string; step: Step | undefined }) {
  return (
    <div>
      <dt>
        <SideMark side={side} />
        {title}
      </dt>
      <dd>{sentence(step)}</dd>
    </div>
  );
}

function sentence(step: Step | undefined): string {
  const { cursor } = messages.value;
  const [, second] = step?.top ?? [];
  if (!step) return cursor.none;
  if (!second) return quotedToken(step.text);
  return cursor.chose(quotedToken(step.text), margin(step.margin), quotedToken(second.text));
}
