// How far a load is: bytes while they arrive, words before and after.
import type { RestartReason } from "../shared/protocol";
import { downloadLine } from "./format";
import type { ModelState } from "./session-state";

interface LoadProgressProps {
  model: Extract<ModelState, { kind: "loading" }>;
  isTwin: boolean;
  onStop: () => void;
}

export function LoadProgress({ model, isTwin, onStop }: LoadProgressProps) {
  if (model.stage !== "download") {
    return (
      <div class="load-line">
        <p>{preparationWords(model.stage, isTwin)}</p>
        <progress aria-label="Model preparation" />
      </div>
    );
  }
  const elapsedMs = performance.now() - model.started_at;
  const { bytes_received, bytes_total } = model;
  // Without a value the bar says that nobody knows how far it is.
  const value = bytes_total === null ? {} : { value: bytes_received, max: bytes_total };
  return (
    <div class="load-line">
      <p class="numbers">{downloadLine(bytes_received, bytes_total, elapsedMs, model.bytes_before)}</p>
      <button type="button" class="quiet" onClick={onStop}>
        Cancel
      </button>
      {model.restarted !== null && <p class="note">{RESTART_WORDS[model.restarted]}</p>}
      <progress aria-label="Model download" {...value} />
    </div>
  );
}

const RESTART_WORDS: Record<RestartReason, string> = {
  "whole-file": "The server sent the whole file where the rest was asked for, so it starts again from 0.",
  "file-changed": "The file on the server is another one now, so it starts again from 0.",
  "nothing-to-go-by":
    "The server does not say which bytes of which version it sends, so it starts again from 0.",
};

function preparationWords(stage: "engine" | "verify", isTwin: boolean): string {
  if (stage === "engine")
    return isTwin ? "Fetching the engine …" : "Fetching the engine and opening the GPU …";
  return isTwin
    ? "Checking the hash, taking the model in …"
    : "Checking the hash, compiling the kernels, testing each against its CPU twin …";
}
