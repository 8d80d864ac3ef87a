// How far a load is: bytes while they arrive, words before and after.
import type { StorageNews } from "../shared/protocol";
import { downloadLine } from "./download-line";
import { messages } from "./language";
import type { ModelState } from "./session-state";
import { StopButton } from "./stop-button";
import { storageWords } from "./storage-words";

interface LoadProgressProps {
  model: Extract<ModelState, { kind: "loading" }>;
  isTwin: boolean;
  /** What this browser's storage does in it. */
  news: StorageNews | null;
  onStop: () => void;
}

export function LoadProgress({ model, isTwin, news, onStop }: LoadProgressProps) {
  const { load } = messages.value;
  if (model.stage !== "download") {
    return (
      <div class="load-line">
        <p>{preparationWords(model.stage, isTwin)}</p>
        <StopButton class="quiet" onStop={onStop}>
          {load.cancel}
        </StopButton>
        <progress aria-label={load.preparation} />
      </div>
    );
  }
  const elapsedMs = performance.now() - model.started_at;
  const { bytes_received, bytes_total } = model;
  // Without a value the bar says that nobody knows how far it is.
  const value = bytes_total === null ? {} : { value: bytes_received, max: bytes_total };
  return (
    <div class="load-line">
      <p class="numbers">
        {model.part !== null && `${load.part(model.part.number, model.part.count)} · `}
        {downloadLine(bytes_received, bytes_total, elapsedMs, model.bytes_before)}
      </p>
      <StopButton class="quiet" onStop={onStop}>
        {load.cancel}
      </StopButton>
      {news !== null && <p class="note">{storageWords(news)}</p>}
      {model.tries > 0 && <p class="note">{load.silent(model.tries)}</p>}
      {model.restarted !== null && <p class="note">{load.restarted[model.restarted]}</p>}
      <progress aria-label={load.download} {...value} />
    </div>
  );
}

function preparationWords(stage: "engine" | "verify", isTwin: boolean): string {
  const { load } = messages.value;
  if (stage === "engine") return isTwin ? load.fetchingEngine : load.fetchingEngineAndGpu;
  return isTwin ? load.takingIn : load.compiling;
}
