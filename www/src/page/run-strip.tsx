// The runs of a comparison in their order: which one is at work, and what each one cost.
import type { Comparison, RunName } from "../shared/engine-records";
import { messages } from "./language";
import type { RunRecord } from "./run-log";
import { runOf } from "./verdict";

const SIDES: Record<RunName, "cold" | "warm" | "before"> = {
  "first-turn": "before",
  "cold-a": "cold",
  "cold-b": "cold",
  warm: "warm",
};

interface RunStripProps {
  /** As they are now: a component whose properties stay the same objects is not drawn again. */
  records: readonly RunRecord[];
  maxTokens: number;
  comparison: Comparison | null;
  isRunning: boolean;
}

export function RunStrip({ records, maxTokens, comparison, isRunning }: RunStripProps) {
  return (
    <ol class="run-strip">
      {records.map((record) => (
        <RunCell
          key={record.run}
          record={record}
          maxTokens={maxTokens}
          firstTokenMs={(comparison && runOf(comparison, record.run)?.time_to_first_token_ms) ?? null}
          isRunning={isRunning}
        />
      ))}
    </ol>
  );
}

interface RunCellProps {
  record: RunRecord;
  maxTokens: number;
  firstTokenMs: number | null;
  isRunning: boolean;
}

function RunCell({ record, maxTokens, firstTokenMs, isRunning }: RunCellProps) {
  const { format, result } = messages.value;
  const { title, does } = result.runs[record.run];
  const side = SIDES[record.run];
  const isAtWork = isRunning && (record.state === "prefill" || record.state === "decoding");
  return (
    <li
      data-run={record.run}
      data-side={side}
      data-state={record.state}
      aria-current={isAtWork ? "step" : undefined}
    >
      <h3>
        <SideMark side={side} />
        {title}
      </h3>
      <p class="run-does">{record.state === "waiting" ? does : progressWords(record, isRunning)}</p>
      {isAtWork && <RunProgress record={record} maxTokens={maxTokens} title={title} />}
      {record.state !== "waiting" && (
        <p class="run-numbers numbers">
          {record.reused_tokens > 0
            ? result.reused(record.reused_tokens, record.prompt_tokens)
            : result.noneReused(record.prompt_tokens)}
        </p>
      )}
      {firstTokenMs !== null && (
        <p class="run-numbers numbers">
          {result.firstTokenAfter} <strong>{format.duration(firstTokenMs)}</strong>
        </p>
      )}
    </li>
  );
}

function progressWords(record: RunRecord, isRunning: boolean): string {
  const { result } = messages.value;
  const n_tokens = record.tokens.length;
  if (record.state === "ended" && record.stop) return result.ended(n_tokens, result.stops[record.stop]);
  if (!isRunning) return result.cutOff(n_tokens);
  if (record.state === "prefill") return result.readingPrompt(record.prefill_done, record.prefill_total);
  return result.writingToken(n_tokens);
}

function RunProgress({ record, maxTokens, title }: { record: RunRecord; maxTokens: number; title: string }) {
  const isPrefill = record.state === "prefill";
  const { result } = messages.value;
  return (
    <progress
      aria-label={isPrefill ? result.promptProgress(title) : result.tokenProgress(title)}
      value={isPrefill ? record.prefill_done : record.tokens.length}
      max={Math.max(1, isPrefill ? record.prefill_total : maxTokens)}
    />
  );
}

/** Each side has a shape of its own, so that colour is never needed. */
export function SideMark({ side }: { side: "cold" | "warm" | "before" }) {
  const shape: Record<typeof side, preact.JSX.Element> = {
    cold: <circle cx="6" cy="6" r="4.5" />,
    warm: <path d="M6 .8 11.2 6 6 11.2 .8 6Z" />,
    before: <path d="M2 2h8v8H2Z" />,
  };
  return (
    <svg class="side-mark" data-side={side} viewBox="0 0 12 12" aria-hidden="true">
      {shape[side]}
    </svg>
  );
}
