// The frame around the token streams: trunk, split, two arms. stream-view.ts writes the tokens.
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { RunName, Verdict } from "../shared/engine-records";
import { quotedToken } from "./format";
import type { RunLog } from "./run-log";
import { SideMark } from "./run-strip";
import type { Session } from "./session";
import type { ComparisonInputs } from "./session-state";
import { StreamView } from "./stream-view";
import { type StreamToken, splitOf } from "./streams";

const SIDE_TITLES: Record<RunName, string> = {
  "first-turn": "First turn",
  "cold-a": "Cold",
  "cold-b": "Cold B",
  warm: "Warm",
};

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
    session.frame.value;
    const log = session.log.value;
    if (!trunk.current || !left.current || !right.current) return;
    if (view.current?.log !== log || view.current.rightRun !== rightRun) {
      const elements = { trunk: trunk.current, left: left.current, right: right.current };
      view.current = { view: new StreamView(elements), log, rightRun };
      view.current.view.clear();
    }
    view.current.view.update(tokensOf(log, "cold-a"), tokensOf(log, rightRun));
    view.current.view.point(session.cursor.value);
  });

  session.frame.value;
  const log = session.log.value;
  const cold = tokensOf(log, "cold-a");
  const other = tokensOf(log, rightRun);
  const { n_shared, fork } = splitOf(cold, other);
  const leftTitle = rightRun === "cold-b" ? "Cold A" : SIDE_TITLES["cold-a"];
  const rightSide = rightRun === "warm" ? "warm" : "cold";

  return (
    <section class="streams" aria-labelledby="streams-heading" data-drift={verdict === "same-tokens"}>
      <h2 id="streams-heading" class="visually-hidden">
        The two answers
      </h2>
      <Question inputs={inputs} log={log} />
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
            {leftTitle} <span class="arm-does">everything computed</span>
          </h3>
          <p ref={left} class="text" />
        </div>
        <div class="arm" data-side={rightSide}>
          <h3>
            <SideMark side={rightSide} />
            {SIDE_TITLES[rightRun]}{" "}
            <span class="arm-does">{rightRun === "warm" ? "cache reused" : "everything computed again"}</span>
          </h3>
          <p ref={right} class="text" />
        </div>
      </div>
      {fork !== null && (
        <p class="hint">
          First different token: {quotedToken(cold[fork]?.text ?? "")} in {leftTitle},{" "}
          {quotedToken(other[fork]?.text ?? "")} in {SIDE_TITLES[rightRun]}. From there on the two runs read
          different inputs. A grey underline marks the same token at the same position again.
        </p>
      )}
    </section>
  );
}

function trunkTitle(n_cold: number, n_other: number, n_shared: number, isRunning: boolean): string {
  if (n_cold === 0) return isRunning ? "Waiting for the first token" : "No tokens";
  if (n_other === 0) return isRunning ? "Cold so far, not yet compared" : "Cold only, not compared";
  if (n_shared === 0) return "Nothing shared";
  const shared = n_shared === 1 ? "Shared, token 1" : `Shared, tokens 1\u2013${n_shared}`;
  return n_other < n_cold && isRunning ? `${shared}; the grey ones are cold only so far` : shared;
}

function Question({ inputs, log }: { inputs: ComparisonInputs; log: RunLog }) {
  const { prompt, scenario } = inputs.request;
  const first = prompt.kind === "chat" ? prompt.user : prompt.text;
  if (scenario.kind === "same-prompt") {
    return <Quote label={prompt.kind === "chat" ? "Message" : "Text"} text={first} />;
  }
  const reply = tokensOf(log, "first-turn")
    .map((token) => token.piece)
    .join("");
  return (
    <>
      <Quote label="First message" text={first} />
      <p class="first-reply">{reply || " "}</p>
      <Quote label="Second message" text={scenario.follow_up} />
    </>
  );
}

function Quote({ label, text }: { label: string; text: string }) {
  return (
    <p class="question">
      <span class="label">{label}</span> <bdi>{text}</bdi>
    </p>
  );
}

function tokensOf(log: RunLog, run: RunName): readonly StreamToken[] {
  return log.get(run)?.tokens ?? [];
}
