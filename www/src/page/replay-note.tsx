// That the device was lost during a comparison, and what came of running it once more.
import { messages } from "./language";
import type { ReplayOutcome } from "./replay-check";
import type { ComparisonState } from "./session-state";

export function ReplayNote({ state }: { state: ComparisonState }) {
  const words = wordsOf(state);
  return words === null ? null : <p class="note-box replay-note">{words}</p>;
}

function wordsOf(state: ComparisonState): string | null {
  if (state.kind === "running" && state.is_replay) return messages.value.result.isReplay;
  return state.kind === "done" && state.replay ? outcomeWords(state.replay) : null;
}

function outcomeWords({ n_compared, n_before, first_difference }: ReplayOutcome): string {
  const { result } = messages.value;
  if (first_difference) return result.replayDiffers(first_difference.index + 1);
  return n_compared < n_before ? result.replayCut(n_compared, n_before) : result.replaySame(n_before);
}
