import { expect, test } from "vitest";
import type { AdapterState, LoadFailure, ModelState } from "../../src/page/session-state";
import { stagesOf } from "../../src/page/stages";

const FOUND: AdapterState = {
  kind: "found",
  probe: {
    name: "An adapter",
    told: { vendor: "", architecture: "", device: "", description: "" },
    software: false,
    subgroups: false,
    shader_f16: false,
    binding_bytes: 1 << 27,
  },
};
const ABSENT: ModelState = { kind: "absent" };
const error = (code: string) => ({ code, message: "m", what_to_do: "w" });
const loading = (stage: "engine" | "download" | "verify"): ModelState => ({
  kind: "loading",
  stage,
  part: null,
  bytes_received: 0,
  bytes_total: null,
  bytes_before: 0,
  started_at: 0,
  restarted: null,
  tries: 0,
});

/** The states in order, as the page's list shows them. */
const shown = (adapter: AdapterState, model: ModelState, failure: LoadFailure | null = null) =>
  stagesOf(adapter, model, failure).map(({ label, state }) => `${label} ${state}`);

test("a GPU's way has five stages, and each is active in its turn", () => {
  expect(shown({ kind: "checking" }, { kind: "absent" })).toEqual([
    "GPU active",
    "Download open",
    "Verify open",
    "Compile and self-test open",
    "Ready open",
  ]);
  expect(shown(FOUND, loading("download"))[1]).toBe("Download active");
  expect(shown(FOUND, loading("verify")).slice(1, 3)).toEqual(["Download done", "Verify active"]);
});

test("a wrong hash fails the verification, a failed kernel what comes after it", () => {
  const failed = (code: string) => shown(FOUND, ABSENT, { stage: "verify", error: error(code) });
  expect(failed("hash-mismatch").slice(2, 4)).toEqual(["Verify failed", "Compile and self-test open"]);
  expect(failed("self-test-failed").slice(2, 4)).toEqual(["Verify done", "Compile and self-test failed"]);
});

test("another file that failed does not mark the model that stays loaded", () => {
  const ready = { kind: "ready", is_configuring: false } as ModelState;
  const failure: LoadFailure = { stage: "download", error: error("bad-file") };
  expect(shown(FOUND, ready, failure).every((stage) => stage.endsWith("done"))).toBe(true);
});

test("the CPU twin's way tells of no GPU, and of no kernels that are compiled or tested", () => {
  const twin: AdapterState = { kind: "cpu-twin" };
  const open = ["Download open", "Verify open", "Ready open"];
  expect(shown(twin, { kind: "absent" })).toEqual(["CPU twin done", ...open]);
  expect(shown(twin, loading("engine"))).toEqual(["CPU twin active", ...open]);
  expect(shown(twin, loading("verify")).slice(1)).toEqual(["Download done", "Verify active", "Ready open"]);
  expect(shown(twin, ABSENT, { stage: "engine", error: error("internal") })[0]).toBe("CPU twin failed");
});
