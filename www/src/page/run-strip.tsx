// The runs of a comparison in their order: which one is at work, and what each one cost.
import type { Comparison, RunName, StopReason } from "../shared/engine-records";
import { format, plural } from "./messages/english/format";
import type { RunLog, RunRecord } from "./run-log";
import { runOf } from "./verdict";

export const RUNS: Record<RunName, { title: string; side: "cold" | "warm" | "before"; does: string }> = {
  "first-turn": { title: "First turn", side: "before", does: "answers the first message, once" },
  "cold-a": { title: "Cold A", side: "cold", does: "empty cache, everything computed" },
  "cold-b": { title: "Cold B", side: "cold", does: "the same again: the control" },
  warm: { title: "Warm", side: "warm", does: "reuses what the cache holds" },
};

export const STOPS: Record<StopReason, string> = {
  "end-of-turn": "the model ended its turn",
  "max-tokens": "length reached",
  "context-full": "context full",
  cancelled: "cancelled",
};

interface RunStripProps {
  log: RunLog;
  maxTokens: number;
  comparison: Comparison | null;
  isRunning: boolean;
}

export function RunStrip({ log, maxTokens, comparison, isRunning }: RunStripProps) {
  return (
    <ol class="run-strip">
      {[...log.values()].map((record) => (
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
  const { title, side, does } = RUNS[record.run];
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
            ? `${record.reused_tokens} of ${plural(record.prompt_tokens, "prompt token")} reused`
            : `${plural(record.prompt_tokens, "prompt token")}, none reused`}
        </p>
      )}
      {firstTokenMs !== null && (
        <p class="run-numbers numbers">
          first token after <strong>{format.duration(firstTokenMs)}</strong>
        </p>
      )}
    </li>
  );
}

function progressWords(record: RunRecord, isRunning: boolean): string {
  const tokens = plural(record.tokens.length, "token");
  if (record.state === "ended" && record.stop) return `${tokens}, ${STOPS[record.stop]}`;
  if (!isRunning) return `${tokens}, cut off`;
  if (record.state === "prefill") {
    return `reading the prompt, ${record.prefill_done} of ${record.prefill_total}`;
  }
  return `writing token ${record.tokens.length}`;
}

function RunProgress({ record, maxTokens, title }: { record: RunRecord; maxTokens: number; title: string }) {
  const isPrefill = record.state === "prefill";
  return (
    <progress
      aria-label={`${title}: ${isPrefill ? "prompt" : "tokens"}`}
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
