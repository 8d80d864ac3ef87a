// The page below its fixed text: load, choose, run, read.
import { CpuTwinOffer } from "./cpu-twin";
import { FailureNotice } from "./failure-notice";
import type { NextStep } from "./failures";
import type { Form } from "./form";
import { megabytes } from "./format";
import { LoadPanel } from "./load-panel";
import { NumericsPanel } from "./numerics-panel";
import { PromptPanel } from "./prompt-panel";
import { Result } from "./result";
import type { Session } from "./session";

interface AppProps {
  session: Session;
  form: Form;
}

export function App({ session, form }: AppProps) {
  const load = () => session.loadModel(form.formats.value, form.order.value);
  const run = () => session.run(form.inputs());
  const runOnCpu = () => {
    session.chooseCpuTwin();
    return run();
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
    }
  };
  return (
    <>
      <LoadPanel session={session} onLoad={load} />
      <LoadFailure session={session} onNext={next} />
      {session.adapter.value.kind === "failed" && (
        <CpuTwinOffer
          len_bytes={session.source.len_bytes}
          canRun={form.isComplete.value}
          onAccept={runOnCpu}
        />
      )}
      <div class="bench">
        <div class="setup">
          <PromptPanel form={form} />
          <NumericsPanel form={form} />
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
  const model = session.model.value;
  if (adapter.kind === "failed") return <FailureNotice error={adapter.error} onNext={onNext} />;
  if (model.kind === "failed") return <FailureNotice error={model.error} onNext={onNext} />;
  return null;
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
        {isReady ? "Run cold, cold, warm" : `Load ${megabytes(session.source.len_bytes)} and run`}
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
  if (session.isBusy.value) return "The model is loading.";
  if (!form.isComplete.value) return "Write a message first.";
  return null;
}
