// The page below its fixed text: load, choose, run, read.
import type { ModelSource } from "../shared/protocol";
import { whatStays } from "./choice-panel";
import { CpuTwinOffer } from "./cpu-twin";
import { isDropping } from "./drop";
import { FailureNotice } from "./failure-notice";
import { failureWords, type NextStep } from "./failures";
import type { Form } from "./form";
import { LoadPanel } from "./load-panel";
import { NumericsPanel } from "./numerics-panel";
import { PromptPanel } from "./prompt-panel";
import { Result } from "./result";
import type { Session } from "./session";
import { openPicker } from "./source-picker";
import { sizeWords } from "./sources";

interface AppProps {
  session: Session;
  form: Form;
}

export function App({ session, form }: AppProps) {
  const load = () => session.loadModel(form.formats.value, form.order.value);
  const run = () => session.run(() => form.inputs());
  const runOnCpu = () => {
    session.chooseCpuTwin();
    return run();
  };
  const choose = (source: ModelSource, loadAnyway = false) =>
    session.choose(source, form.formats.value, loadAnyway);
  /** What was refused once more; a person who wants it anyway has said enough for the load as well. */
  const chooseAgain = async (loadAnyway: boolean) => {
    const choice = session.choice.value;
    if (choice.kind !== "refused" || !(await choose(choice.source, loadAnyway))) return;
    if (loadAnyway && session.selection.value.checked?.check.fit.fits) await load();
  };
  const next = async (step: NextStep) => {
    switch (step) {
      case "check-gpu":
        return session.checkGpu();
      case "load-model":
        return load();
      case "restart-and-load":
        await session.restart();
        return session.adapter.value.kind === "found" && load();
      case "run-again":
        return run();
      case "choose-another":
        return openPicker();
      case "check-again":
      case "load-anyway":
        return chooseAgain(step === "load-anyway");
    }
  };
  return (
    <>
      {isDropping.value && <p class="drop-target">Drop the GGUF file here, or all parts of one</p>}
      <LoadPanel session={session} onLoad={load} onChoose={choose} onNext={next} />
      <LoadFailure session={session} onNext={next} />
      {session.adapter.value.kind === "failed" && (
        <CpuTwinOffer
          size={sizeWords(session.selection.value)}
          canRun={form.isComplete.value}
          onAccept={runOnCpu}
        />
      )}
      <div class="bench">
        <div class="setup">
          <PromptPanel form={form} />
          <NumericsPanel form={form} templates={session.templateNames()} />
        </div>
        <div class="outcome">
          <RunBar session={session} form={form} onRun={run} />
          <p class="status" role="status">
            {session.status.value}
          </p>
          <Result session={session} maxTokens={form.maxTokens.value} onNext={next} />
        </div>
      </div>
    </>
  );
}

function LoadFailure({ session, onNext }: { session: Session; onNext: (step: NextStep) => void }) {
  const adapter = session.adapter.value;
  const failure = session.loadFailure.value;
  if (adapter.kind === "failed") return <FailureNotice error={adapter.error} onNext={onNext} />;
  if (failure === null) return null;
  const words = failureWords(failure.error, session.selection.value.source.kind);
  if (session.model.value.kind !== "ready") {
    return <FailureNotice error={failure.error} words={words} onNext={onNext} />;
  }
  return (
    <FailureNotice
      error={failure.error}
      words={{ ...words, still_works: whatStays(session) }}
      onNext={onNext}
      onDismiss={() => session.dismissLoadFailure()}
    />
  );
}

function RunBar({ session, form, onRun }: AppProps & { onRun: () => void }) {
  const state = session.comparison.value;
  if (state.kind === "running") {
    return (
      <div class="run-bar">
        <button type="button" class="primary" onClick={() => session.stop()} disabled={state.is_stopping}>
          {state.is_stopping ? "Stopping …" : "Stop"}
        </button>
        <p>What is there stays when you stop.</p>
      </div>
    );
  }
  const refusal = whyNotNow(session, form);
  const isReady = session.model.value.kind === "ready";
  return (
    <div class="run-bar">
      <button type="button" class="primary" onClick={onRun} disabled={refusal !== null}>
        {isReady ? "Run cold, cold, warm" : `Load ${sizeWords(session.selection.value)} and run`}
      </button>
      <p>
        {refusal ?? "Two runs from an empty cache, then one that reuses it. They may fork, they may not."}
      </p>
    </div>
  );
}

function whyNotNow(session: Session, form: Form): string | null {
  const adapter = session.adapter.value;
  if (adapter.kind === "checking") return "Looking for a GPU first.";
  if (adapter.kind === "failed") return "There is no GPU; see above for what to do, and for the CPU.";
  if (session.choice.value.kind === "checking") return "The file's header is being read.";
  if (session.isBusy.value) return "The model is loading.";
  const { checked } = session.selection.value;
  if (session.model.value.kind !== "ready" && checked?.check.fit.binding_fits === false) {
    return "The chosen model does not fit this device.";
  }
  if (!form.isComplete.value) return "Write a message first.";
  return null;
}
