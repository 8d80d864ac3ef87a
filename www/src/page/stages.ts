// From a bare page to a model that can run, as stages: on the GPU, or on the CPU twin, where nothing is compiled.
import type { LoadStage } from "../shared/protocol";
import { isOwnWish } from "./failures";
import { messages } from "./language";
import type { AdapterState, LoadFailure, ModelState } from "./session-state";

export type StageState = "done" | "active" | "failed" | "open";

export interface Stage {
  label: string;
  state: StageState;
}

export function stagesOf(adapter: AdapterState, model: ModelState, failure: LoadFailure | null): Stage[] {
  const { stages } = messages.value.load;
  const ready: Stage = {
    label: stages.ready,
    state: model.kind === "ready" ? (model.is_configuring ? "active" : "done") : "open",
  };
  // What failed while another model stays loaded is told elsewhere: this one can run.
  // What a person stopped has not failed.
  const failed = model.kind === "absent" && failure && !isOwnWish(failure.error) ? failure : null;
  const [download, verify] = loadStates(model, failed);
  const engine = engineState(model, failed);
  if (adapter.kind === "cpu-twin") {
    return [
      { label: stages.twin, state: engine },
      { label: stages.download, state: download },
      { label: stages.verify, state: verify },
      ready,
    ];
  }
  const gpu: StageState =
    adapter.kind === "checking" ? "active" : adapter.kind === "failed" ? "failed" : engine;
  const isFileAtFault = verify === "failed" && isHashFailure(failed);
  return [
    { label: stages.gpu, state: gpu },
    { label: stages.download, state: download },
    { label: stages.verify, state: verify === "failed" && !isFileAtFault ? "done" : verify },
    { label: stages.compile, state: isFileAtFault ? "open" : verify },
    ready,
  ];
}

function engineState(model: ModelState, failure: LoadFailure | null): StageState {
  if (failure?.stage === "engine") return "failed";
  if (model.kind === "loading" && model.stage === "engine") return "active";
  return "done";
}

function loadStates(model: ModelState, failure: LoadFailure | null): [StageState, StageState] {
  if (model.kind === "ready") return ["done", model.is_configuring ? "active" : "done"];
  const stage = model.kind === "loading" ? model.stage : failure?.stage;
  if (stage === undefined) return ["open", "open"];
  const now: StageState = model.kind === "loading" ? "active" : "failed";
  const byStage: Record<LoadStage, [StageState, StageState]> = {
    engine: ["open", "open"],
    download: [now, "open"],
    verify: ["done", now],
  };
  return byStage[stage];
}

function isHashFailure(failure: LoadFailure | null): boolean {
  return failure?.error.code === "hash-mismatch" || failure?.error.code === "bad-file";
}
