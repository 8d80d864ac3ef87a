// What computed the numbers above: a GPU, checked by its twin, or the twin alone.

import type { Computed } from "../../shared/engine-records";
import { toldOf } from "../failures";
import { count } from "../format";
import { messages } from "../language";
import type { Session } from "../session";
import { lessonWords } from "./lesson-words";

interface SourceNoteProps {
  session: Session;
  computed: Computed | undefined;
  isPending: boolean;
}

export function SourceNote({ session, computed, isPending }: SourceNoteProps) {
  const words = lessonWords.value;
  const failure = session.lesson.gpuFailure.value;
  const isWaiting = isPending && session.isBusy.value && !session.lesson.isAsking.value;
  return (
    <div class="hint source-note" data-computed={computed?.on}>
      {computed && <p>{wordsOf(computed, session)}</p>}
      {failure !== null && <p>{words.gpuFailed(toldOf(failure).happened.text)}</p>}
      {isWaiting && <p>{words.waiting}</p>}
    </div>
  );
}

/** What computed it, for a saved figure; empty where nothing did yet. */
export function computedOn(computed: Computed | undefined, session: Session): string {
  if (computed === undefined) return "";
  if (computed.on === "cpu-twin") return messages.value.bar.cpuTwin;
  const adapter = session.adapter.value;
  return adapter.kind === "found" ? adapter.probe.name : "GPU";
}

function wordsOf(computed: Computed, session: Session): string {
  const words = lessonWords.value;
  if (computed.on === "cpu-twin") return words.onTwin;
  const device = computedOn(computed, session);
  const sums = words.nSums(count(computed.n_sums));
  if (computed.n_differing === 0) return words.onGpu(device, sums);
  return words.onGpuDiffering(device, count(computed.n_differing), sums);
}
