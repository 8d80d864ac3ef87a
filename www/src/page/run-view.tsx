// The view Run: load, choose, run, read.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { CpuTwinOffer } from "./cpu-twin";
import type { NextStep } from "./failures";
import type { Form } from "./form";
import { messages } from "./language";
import { LoadFailure } from "./load-failure";
import { LoadPanel } from "./load-panel";
import { bytesHere, isKept, type StoredModels } from "./models/stored-models";
import { NumericsPanel } from "./numerics-panel";
import { PromptPanel } from "./prompt-panel";
import { Result } from "./result";
import { Scan } from "./scan";
import { ScanPanel } from "./scan-panel";
import type { Session } from "./session";
import { fieldOf, startsRun } from "./shortcuts";
import { sizeWords } from "./sources";
import { StopButton } from "./stop-button";
import { address } from "./views";

interface RunViewProps {
  session: Session;
  stored: StoredModels;
  form: Form;
  onLoad: () => void;
  onRun: () => void;
  onNext: (step: NextStep) => void;
}

export function RunView({ session, stored, form, onLoad, onRun, onNext }: RunViewProps) {
  const selection = session.selection.value;
  const isModelKept = isKept(stored.storage.value, selection.source);
  const size = sizeWords(selection, bytesHere(stored.storage.value, selection.source));
  const scan = useMemo(() => new Scan(session, form), [session, form]);
  const refusal = whyNotNow(session, form);
  // A key must not begin a download.
  const isReady = session.model.value.kind === "ready";
  const runOnCpu = () => {
    session.chooseCpuTwin();
    onRun();
  };
  return (
    <>
      <LoadPanel session={session} isKept={isModelKept} size={size} onLoad={onLoad} />
      {address.value.view === "run" && <LoadFailure session={session} onNext={onNext} />}
      {session.adapter.value.kind === "failed" && (
        <CpuTwinOffer size={sizeWords(selection)} canRun={form.isComplete.value} onAccept={runOnCpu} />
      )}
      <div class="bench">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the fields in it. */}
        <div
          class="setup"
          onKeyDown={(event) =>
            startsRun(event, fieldOf(event.target)) && isReady && refusal === null && onRun()
          }
        >
          <PromptPanel form={form} />
          <NumericsPanel form={form} templates={session.loads.templateNames()} />
        </div>
        <div class="outcome">
          <RunBar session={session} isKept={isModelKept} size={size} refusal={refusal} onRun={onRun} />
          <ScanPanel scan={scan} isDisabled={refusal !== null} />
          <Result
            session={session}
            maxTokens={form.maxTokens.value}
            onRunInvariant={(inputs) => {
              form.order.value = "invariant";
              void session.run(() => ({ ...inputs, order: "invariant" }));
            }}
            onNext={onNext}
          />
        </div>
      </div>
    </>
  );
}

interface RunBarProps extends Pick<RunViewProps, "session" | "onRun"> {
  /** Whether what would be loaded is in this browser already. */
  isKept: boolean;
  /** How much is to be downloaded. */
  size: string;
  /** Why nothing can be run; null where it can. */
  refusal: string | null;
}

function RunBar({ session, isKept, size, refusal, onRun }: RunBarProps) {
  const state = session.comparison.value;
  const isRunning = state.kind === "running";
  const bar = useRef<HTMLDivElement>(null);
  // What begins it may stand far below.
  useEffect(() => {
    if (isRunning) bar.current?.scrollIntoView({ block: "nearest" });
  }, [isRunning]);
  const words = messages.value.run;
  if (state.kind === "running") {
    return (
      <div class="run-bar" ref={bar}>
        <StopButton class="primary" isStopping={state.is_stopping} onStop={() => session.stop()}>
          {state.is_stopping ? words.stopping : words.stop}
        </StopButton>
        <p>{words.stopKeeps}</p>
      </div>
    );
  }
  const isReady = session.model.value.kind === "ready";
  const load = isKept ? words.loadKeptAndStart : words.loadAndStart(size);
  return (
    <div class="run-bar">
      <button type="button" class="primary" data-heir onClick={onRun} disabled={refusal !== null}>
        {isReady ? words.start : load}
      </button>
      <p>{refusal ?? words.what}</p>
    </div>
  );
}

/** Why nothing can be run; null where it can. */
export function whyNotNow(session: Session, form: Form): string | null {
  const adapter = session.adapter.value;
  const { notNow } = messages.value.run;
  if (adapter.kind === "checking") return notNow.lookingForGpu;
  if (adapter.kind === "failed") return notNow.noGpu;
  if (session.choice.value.kind === "checking") return notNow.readingHeader;
  if (session.isBusy.value) return notNow.loading;
  const { checked } = session.selection.value;
  if (session.model.value.kind !== "ready" && checked?.check.fit.binding_fits === false) {
    return notNow.doesNotFit;
  }
  if (!form.isComplete.value) return notNow.noMessage;
  return null;
}
