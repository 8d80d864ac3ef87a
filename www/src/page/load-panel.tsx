// From a bare page to a model that can run: the stages, the line below them, and what was loaded.
import type { AdapterProbe, Processor } from "../shared/protocol";
import { hashOf } from "./address";
import { CpuTwinWords } from "./cpu-twin";
import { messages } from "./language";
import { LoadProgress } from "./load-progress";
import { LoadedDetails } from "./loaded-details";
import type { Session } from "./session";
import type { Selection } from "./session-state";
import { titleOf } from "./sources";
import { type StageState, stagesOf } from "./stages";

interface LoadPanelProps {
  session: Session;
  /** Whether what would be loaded is in this browser already. */
  isKept: boolean;
  /** How much is to be downloaded. */
  size: string;
  onLoad: () => void;
}

export function LoadPanel({ session, isKept, size, onLoad }: LoadPanelProps) {
  const adapter = session.adapter.value;
  const model = session.model.value;
  const { load } = messages.value;
  return (
    <section class="load" aria-labelledby="load-heading">
      <h2 id="load-heading" class="visually-hidden">
        {load.heading}
      </h2>
      <ol class="stages">
        {stagesOf(adapter, model, session.loads.failure.value).map((stage) => (
          <li key={stage.label} data-state={stage.state}>
            <StageMark state={stage.state} />
            <span>{stage.label}</span>
            <span class="visually-hidden">{load.stageStates[stage.state]}</span>
          </li>
        ))}
      </ol>
      <LoadLine session={session} isKept={isKept} size={size} onLoad={onLoad} />
      {model.kind === "ready" && <ZeroNote names={model.loaded.model.zero_matrices} />}
      {model.kind === "ready" && (
        <LoadedDetails
          loaded={model.loaded}
          selection={model.selection}
          probe={adapter.kind === "found" ? adapter.probe : null}
        />
      )}
      <p class="load-line">
        <a href={hashOf("models")}>{messages.value.models.another}</a>
        <span class="note">{load.promise}</span>
      </p>
    </section>
  );
}

/** A download whose end was filled with zeros runs, and says nothing that means anything. */
export function ZeroNote({ names }: { names: readonly string[] }) {
  const [first] = names;
  if (first === undefined) return null;
  return (
    <p class="note-box">
      <bdi>{messages.value.load.zeroMatrices(names.length, first)}</bdi>
    </p>
  );
}

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

function LoadLine({ session, isKept, size, onLoad }: LoadPanelProps) {
  const adapter = session.adapter.value;
  const model = session.model.value;
  const { load } = messages.value;
  const selection = session.selection.value;
  const whence = isKept ? load.fromThisBrowser : size;
  if (adapter.kind === "checking") return <p>{load.askingForGpu}</p>;
  if (adapter.kind === "failed") return null;
  switch (model.kind) {
    case "absent":
      return (
        <div class="load-line">
          <p>
            {adapter.kind === "cpu-twin" ? (
              <>
                {load.willRunOn} <CpuTwinWords />
              </>
            ) : (
              <AdapterWords probe={adapter.probe} />
            )}
          </p>
          {session.loads.failure.value === null && fits(selection) && (
            <button type="button" class="quiet" data-heir disabled={session.isBusy.value} onClick={onLoad}>
              {selection.source.kind === "built-in"
                ? load.loadOnly(whence)
                : load.loadNamed(titleOf(selection), whence)}
            </button>
          )}
        </div>
      );
    case "loading":
      return (
        <LoadProgress
          model={model}
          isTwin={adapter.kind === "cpu-twin"}
          news={session.loads.storageNews.value}
          onStop={() => session.stop()}
        />
      );
    case "ready":
      return (
        <div class="load-line">
          <p>
            {titleOf(model.selection)} {load.runsOn} <ProcessorWords processor={model.loaded.processor} />
            {model.is_configuring && <span> · {load.isPreparing}</span>}
          </p>
          {!session.choices.isLoaded() && fits(selection) && (
            <button type="button" class="quiet" disabled={session.isBusy.value} onClick={onLoad}>
              {load.loadNamed(titleOf(selection), whence)}
            </button>
          )}
          {adapter.kind === "cpu-twin" && (
            <button
              type="button"
              class="quiet"
              disabled={session.isBusy.value}
              onClick={() => session.restart()}
            >
              {load.lookAgain}
            </button>
          )}
        </div>
      );
  }
}

/** What does not fit in memory can be tried; what the device cannot bind cannot. */
function fits({ checked }: Selection): boolean {
  return checked?.check.fit.binding_fits !== false;
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
      {messages.value.load.found} <strong>{probe.name}</strong>
      {probe.software && <SoftwareNote />}
    </>
  );
}

function SoftwareNote() {
  return <span class="note"> · {messages.value.load.softwareNote}</span>;
}
