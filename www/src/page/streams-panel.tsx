// The frame around the token streams: trunk, split, two arms. stream-view.ts writes the tokens.
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { RunName, Verdict } from "../shared/engine-records";
import { quotedToken } from "./format";
import { messages } from "./language";
import type { RunLog } from "./run-log";
import { SideMark } from "./run-strip";
import { Scrolling } from "./scrolling";
import type { Session } from "./session";
import type { ComparisonInputs } from "./session-state";
import { StreamView } from "./stream-view";
import { type StreamToken, splitOf } from "./streams";

interface StreamsPanelProps {
  session: Session;
  inputs: ComparisonInputs;
  /** Normally warm; cold-b where the control failed. */
  rightRun: RunName;
  isRunning: boolean;
  verdict: Verdict | null;
}

export function StreamsPanel({ session, inputs, rightRun, isRunning, verdict }: StreamsPanelProps) {
  const trunk = useRef<HTMLParagraphElement>(null);
  const left = useRef<HTMLParagraphElement>(null);
  const right = useRef<HTMLParagraphElement>(null);
  const view = useRef<{ view: StreamView; log: RunLog; rightRun: RunName } | null>(null);

  useSignalEffect(() => {
    session.comparisons.frame.value;
    const log = session.comparisons.log.value;
    if (!trunk.current || !left.current || !right.current) return;
    if (view.current?.log !== log || view.current.rightRun !== rightRun) {
      const elements = { trunk: trunk.current, left: left.current, right: right.current };
      view.current = { view: new StreamView(elements), log, rightRun };
      view.current.view.clear();
    }
    view.current.view.update(tokensOf(log, "cold-a"), tokensOf(log, rightRun));
    view.current.view.point(session.comparisons.cursor.value);
  });

  session.comparisons.frame.value;
  const log = session.comparisons.log.value;
  const cold = tokensOf(log, "cold-a");
  const other = tokensOf(log, rightRun);
  const { n_shared, fork } = splitOf(cold, other);
  const { result } = messages.value;
  const leftTitle = rightRun === "cold-b" ? result.runs["cold-a"].title : result.cold;
  const rightTitle = result.runs[rightRun].title;
  const rightSide = rightRun === "warm" ? "warm" : "cold";

  return (
    <section class="streams" aria-labelledby="streams-heading" data-drift={verdict === "same-tokens"}>
      <h2 id="streams-heading" class="visually-hidden">
        {result.answers}
      </h2>
      <Question inputs={inputs} reply={replyOf(log)} />
      <div class="trunk" data-shared={n_shared > 0}>
        <h3>
          {n_shared > 0 && <span aria-hidden="true">= </span>}
          {trunkTitle(cold.length, other.length, n_shared, isRunning && fork === null)}
        </h3>
        <p ref={trunk} class="text" />
      </div>
      <div class="split" aria-hidden="true" hidden={fork === null}>
        <svg viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
          <path d="M50 0V10H25V24" />
          <path d="M50 0V10H75V24" />
        </svg>
        <span>⟨{(fork ?? 0) + 1}⟩</span>
      </div>
      <div class="arms" hidden={fork === null}>
        <div class="arm" data-side="cold">
          <h3>
            <SideMark side="cold" />
            {leftTitle} <span class="arm-does">{result.everythingComputed}</span>
          </h3>
          <p ref={left} class="text" />
        </div>
        <div class="arm" data-side={rightSide}>
          <h3>
            <SideMark side={rightSide} />
            {rightTitle}{" "}
            <span class="arm-does">{rightRun === "warm" ? result.cacheReused : result.computedAgain}</span>
          </h3>
          <p ref={right} class="text" />
        </div>
      </div>
      {fork !== null && (
        <p class="hint">
          {result.firstDifferent(
            quotedToken(cold[fork]?.text ?? ""),
            leftTitle,
            quotedToken(other[fork]?.text ?? ""),
            rightTitle,
          )}
        </p>
      )}
    </section>
  );
}

function trunkTitle(n_cold: number, n_other: number, n_shared: number, isRunning: boolean): string {
  const { result } = messages.value;
  if (n_cold === 0) return isRunning ? result.waiting : result.noTokens;
  if (n_other === 0) return isRunning ? result.coldSoFar : result.coldOnly;
  if (n_shared === 0) return result.nothingShared;
  const shared = result.shared(n_shared);
  return n_other < n_cold && isRunning ? result.coldAhead(shared) : shared;
}

/** The first turn's answer, as far as it is written. */
function replyOf(log: RunLog): string {
  return tokensOf(log, "first-turn")
    .map((token) => token.piece)
    .join("");
}

function Question({ inputs, reply }: { inputs: ComparisonInputs; reply: string }) {
  const { prompt, scenario } = inputs.request;
  const words = messages.value.prompt;
  const first = prompt.kind === "chat" ? prompt.user : prompt.text;
  if (scenario.kind === "same-prompt") {
    return <Quote label={prompt.kind === "chat" ? words.message : words.text} text={first} />;
  }
  return (
    <>
      <Quote label={words.firstMessage} text={first} />
      <p class="first-reply">{reply || " "}</p>
      <Quote label={words.secondMessage} text={scenario.follow_up} />
    </>
  );
}

function Quote({ label, text }: { label: string; text: string }) {
  return (
    <Scrolling name={label} class="question">
      <span class="label">{label}</span> <bdi>{text}</bdi>
    </Scrolling>
  );
}

function tokensOf(log: RunLog, run: RunName): readonly StreamToken[] {
  return log.get(run)?.tokens ?? [];
}
