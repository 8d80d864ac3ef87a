// What the running comparison has shown so far, kept so that a failure loses nothing. Pure.
import type { CompareEvent, RunName, Step, StopReason } from "../shared/engine-records";
import type { StreamToken } from "./streams";

export interface RunRecord {
  run: RunName;
  state: "waiting" | "prefill" | "decoding" | "ended";
  prompt_tokens: number;
  reused_tokens: number;
  prefill_done: number;
  prefill_total: number;
  tokens: StreamToken[];
  steps: Step[];
  stop: StopReason | null;
}

export type RunLog = Map<RunName, RunRecord>;

/** An empty record for each run of a scenario, in the order in which they will run. */
export function newRunLog(hasFirstTurn: boolean): RunLog {
  const names: RunName[] = hasFirstTurn
    ? ["first-turn", "cold-a", "cold-b", "warm"]
    : ["cold-a", "cold-b", "warm"];
  return new Map(names.map((run) => [run, newRecord(run)]));
}

function newRecord(run: RunName): RunRecord {
  return {
    run,
    state: "waiting",
    prompt_tokens: 0,
    reused_tokens: 0,
    prefill_done: 0,
    prefill_total: 0,
    tokens: [],
    steps: [],
    stop: null,
  };
}

/**
 * Adds one event of the engine to the log. A run that starts again replaces its record: the first turn
 * is replayed before the warm run, to leave in the cache what the conversation itself would.
 */
export function applyEvent(log: RunLog, event: CompareEvent): void {
  const known = event.kind === "run-started" ? undefined : log.get(event.run);
  const record = known ?? newRecord(event.run);
  log.set(event.run, record);
  switch (event.kind) {
    case "run-started":
      record.state = "prefill";
      record.prompt_tokens = event.prompt_tokens;
      record.reused_tokens = event.reused_tokens;
      record.prefill_total = event.prompt_tokens - event.reused_tokens;
      return;
    case "prefill":
      record.prefill_done = event.done;
      record.prefill_total = event.total;
      return;
    case "token":
      record.state = "decoding";
      record.tokens.push({ id: event.step.id, piece: event.text, text: event.step.text });
      record.steps.push(event.step);
      return;
    case "run-ended":
      record.state = "ended";
      record.stop = event.stop;
      return;
  }
}

/** The records as they are now, each an object of its own. */
export function recordsNow(log: RunLog): RunRecord[] {
  return [...log.values()].map((record) => ({ ...record }));
}

/** Tokens of all runs. */
export function nTokens(log: RunLog): number {
  return [...log.values()].reduce((sum, { tokens }) => sum + tokens.length, 0);
}

/** The run that is at work now. */
export function currentRun(log: RunLog): RunRecord | null {
  for (const record of log.values()) {
    if (record.state === "prefill" || record.state === "decoding") return record;
  }
  return null;
}
