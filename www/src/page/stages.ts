// From a bare page to a model that can run, as stages: on the GPU, or on the CPU twin, where nothing is compiled. Pure.
import type { LoadStage } from "../shared/protocol";
import type { AdapterState, ModelState } from "./session";

export type StageState = "done" | "active" | "failed" | "open";

export interface Stage {
  label: string;
  state: StageState;
}

export function stagesOf(adapter: AdapterState, model: ModelState): Stage[] {
  const ready: Stage = {
    label: "Ready",
    state: model.kind === "ready" ? (model.is_configuring ? "active" : "done") : "open",
  };
  const [download, verify] = loadStates(model);
  if (adapter.kind === "cpu-twin") {
    return [
      { label: "CPU twin", state: engineState(model) },
      { label: "Download", state: download },
      { label: "Verify", state: verify },
      ready,
    ];
  }
  const gpu: StageState =
    adapter.kind === "checking" ? "active" : adapter.kind === "failed" ? "failed" : engineState(model);
  return [
    { label: "GPU", state: gpu },
    { label: "Download", state: download },
    { label: "Verify", state: verify === "failed" && !isHashFailure(model) ? "done" : verify },
    { label: "Compile and self-test", state: verify === "failed" && isHashFailure(model) ? "open" : verify },
    ready,
  ];
}

function engineState(model: ModelState): StageState {
  if (model.kind === "failed" && model.stage === "engine") return "failed";
  if (model.kind === "loading" && model.stage === "engine") return "active";
  return "done";
}

function loadStates(model: ModelState): [StageState, StageState] {
  if (model.kind === "ready") return ["done", model.is_configuring ? "active" : "done"];
  if (model.kind === "absent") return ["open", "open"];
  const now: StageState = model.kind === "loading" ? "active" : "failed";
  const byStage: Record<LoadStage, [StageState, StageState]> = {
    engine: ["open", "open"],
    download: [now, "open"],
    verify: ["done", now],
  };
  return byStage[model.stage];
}

function isHashFailure(model: ModelState): boolean {
  return model.kind === "failed" && (model.error.code === "hash-mismatch" || model.error.code === "bad-file");
}
