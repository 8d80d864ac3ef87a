import { expect, test } from "vitest";
import type { AdapterState, ModelState } from "../../src/page/session";
import { stagesOf } from "../../src/page/stages";

const FOUND: AdapterState = {
  kind: "found",
  probe: {
    name: "An adapter",
    told: { vendor: "", architecture: "", device: "", description: "" },
    software: false,
    subgroups: false,
    shader_f16: false,
  },
};
const error = (code: string) => ({ code, message: "m", what_to_do: "w" });
const loading = (stage: "engine" | "download" | "verify"): ModelState => ({
  kind: "loading",
  stage,
  bytes_received: 0,
  bytes_before: 0,
  started_at: 0,
});

/** The states in order, as the page's list shows them. */
const shown = (adapter: AdapterState, model: ModelState) =>
  stagesOf(adapter, model).map(({ label, state }) => `${label} ${state}`);

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
  const failed = (code: string): ModelState => ({ kind: "failed", stage: "verify", error: error(code) });
  expect(shown(FOUND, failed("hash-mismatch")).slice(2, 4)).toEqual([
    "Verify failed",
    "Compile and self-test open",
  ]);
  expect(shown(FOUND, failed("self-test-failed")).slice(2, 4)).toEqual([
    "Verify done",
    "Compile and self-test failed",
  ]);
});

test("the CPU twin's way tells of no GPU, and of no kernels that are compiled or tested", () => {
  const twin: AdapterState = { kind: "cpu-twin" };
  const open = ["Download open", "Verify open", "Ready open"];
  expect(shown(twin, { kind: "absent" })).toEqual(["CPU twin done", ...open]);
  expect(shown(twin, loading("engine"))).toEqual(["CPU twin active", ...open]);
  expect(shown(twin, loading("verify")).slice(1)).toEqual(["Download done", "Verify active", "Ready open"]);
  expect(shown(twin, { kind: "failed", stage: "engine", error: error("internal") })[0]).toBe(
    "CPU twin failed",
  );
});
