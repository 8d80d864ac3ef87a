// From a bare page to a model that can run: the stages, the line below them, and what was loaded.
import type { AdapterProbe, ModelSource, Processor } from "../shared/protocol";
import { CpuTwinWords } from "./cpu-twin";
import { downloadLine, megabytes } from "./format";
import { LoadedDetails } from "./loaded-details";
import type { ModelState, Session } from "./session";
import { type StageState, stagesOf } from "./stages";

export function LoadPanel({ session, onLoad }: { session: Session; onLoad: () => void }) {
  const adapter = session.adapter.value;
  const model = session.model.value;
  return (
    <section class="load" aria-labelledby="load-heading">
      <h2 id="load-heading" class="visually-hidden">
        Device and model
      </h2>
      <ol class="stages">
        {stagesOf(adapter, model).map((stage) => (
          <li key={stage.label} data-state={stage.state}>
            <StageMark state={stage.state} />
            <span>{stage.label}</span>
            <span class="visually-hidden">{STAGE_WORDS[stage.state]}</span>
          </li>
        ))}
      </ol>
      <LoadLine session={session} onLoad={onLoad} />
      {model.kind === "ready" && (
        <LoadedDetails
          loaded={model.loaded}
          source={session.source}
          probe={adapter.kind === "found" ? adapter.probe : null}
        />
      )}
    </section>
  );
}

const STAGE_WORDS: Record<StageState, string> = {
  done: "done",
  active: "in progress",
  failed: "failed",
  open: "not started",
};

function StageMark({ state }: { state: StageState }) {
  const path: Record<StageState, string> = {
    done: "M3.5 8.5 6.5 11.5 12.5 4.5",
    active: "M8 3a5 5 0 0 1 5 5",
    failed: "M4 4 12 12 M12 4 4 12",
    open: "",
  };
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={path[state]} />
    </svg>
  );
}

function LoadLine({ session, onLoad }: { session: Session; onLoad: () => void }) {
  const adapter = session.adapter.value;
  const model = session.model.value;
  if (adapter.kind === "checking") return <p>Asking the browser for its GPU …</p>;
  if (adapter.kind === "failed") return null;
  switch (model.kind) {
    case "absent":
      return (
        <div class="load-line">
          <p>
            {adapter.kind === "cpu-twin" ? (
              <>
                Without a GPU: <CpuTwinWords />
              </>
            ) : (
              <AdapterWords probe={adapter.probe} />
            )}
          </p>
          <button type="button" class="quiet" onClick={onLoad}>
            Load the model only · {megabytes(session.source.len_bytes)}
          </button>
        </div>
      );
    case "loading":
      return (
        <LoadProgress
          model={model}
          isTwin={adapter.kind === "cpu-twin"}
          source={session.source}
          onStop={() => session.stop()}
        />
      );
    case "ready":
      return (
        <div class="load-line">
          <p>
            {session.source.title} on <ProcessorWords processor={model.loaded.processor} />
            {model.is_configuring && <span> · preparing for the new settings …</span>}
          </p>
          {adapter.kind === "cpu-twin" && (
            <button
              type="button"
              class="quiet"
              disabled={session.isBusy.value}
              onClick={() => session.restart()}
            >
              Look for a GPU again
            </button>
          )}
        </div>
      );
    case "failed":
      return null;
  }
}

function ProcessorWords({ processor }: { processor: Processor }) {
  if (processor.kind === "cpu-twin") return <CpuTwinWords />;
  const { name, software } = processor.device;
  return (
    <>
      <strong>{name}</strong>
      {software && <SoftwareNote />}
    </>
  );
}

function AdapterWords({ probe }: { probe: AdapterProbe }) {
  return (
    <>
      Found <strong>{probe.name}</strong>
      {probe.software && <SoftwareNote />}
    </>
  );
}

function SoftwareNote() {
  return <span class="note"> · software GPU: slow, results valid for this device only</span>;
}

interface LoadProgressProps {
  model: Extract<ModelState, { kind: "loading" }>;
  isTwin: boolean;
  source: ModelSource;
  onStop: () => void;
}

function LoadProgress({ model, isTwin, source, onStop }: LoadProgressProps) {
  if (model.stage !== "download") {
    return (
      <div class="load-line">
        <p>{preparationWords(model.stage, isTwin)}</p>
        <progress aria-label="Model preparation" />
      </div>
    );
  }
  const elapsedMs = performance.now() - model.started_at;
  return (
    <div class="load-line">
      <p class="numbers">
        {downloadLine(model.bytes_received, source.len_bytes, elapsedMs, model.bytes_before)}
      </p>
      <button type="button" class="quiet" onClick={onStop}>
        Cancel
      </button>
      <progress aria-label="Model download" value={model.bytes_received} max={source.len_bytes} />
    </div>
  );
}

function preparationWords(stage: "engine" | "verify", isTwin: boolean): string {
  if (stage === "engine")
    return isTwin ? "Fetching the engine …" : "Fetching the engine and opening the GPU …";
  return isTwin
    ? "Checking the hash, taking the model in …"
    : "Checking the hash, compiling the kernels, testing each against its CPU twin …";
}
