import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { LessonSession } from "../../src/page/lesson-session";
import type { AdapterState } from "../../src/page/session-state";
import type { EngineError, LessonAnswer, LessonRequest } from "../../src/shared/engine-records";
import type { Call } from "../../src/shared/protocol";

const QUESTION: LessonRequest = { kind: "orders", format: "f16", values: [1, 2] };
const FOUND: AdapterState = {
  kind: "found",
  probe: {
    name: "a GPU",
    told: { vendor: "", architecture: "", device: "", description: "" },
    software: false,
    subgroups: false,
    shader_f16: false,
    binding_bytes: 1,
  },
};

/** A session whose GPU may fail, and what it was asked. */
function session(start: AdapterState, failure: EngineError | null = null) {
  const calls: string[] = [];
  const adapter = signal<AdapterState>(start);
  const isBusy = signal(false);
  const brokenOff: string[] = [];
  const client = {
    call: async (call: Call) => {
      if (call.kind !== "lesson") throw new Error("not asked here");
      calls.push(call.on);
      if (call.on === "gpu" && failure) throw failure;
      const computed = call.on === "gpu" ? { on: call.on, n_sums: 2, n_differing: 0 } : { on: call.on };
      return { kind: "orders", computed, n_orders: 2, results: [], exact: 3 } as LessonAnswer;
    },
  };
  const lesson = new LessonSession({
    client: client as never,
    adapter,
    isBusy,
    onBrokenOff: ({ code }) => brokenOff.push(code),
  });
  return { lesson, adapter, isBusy, calls, brokenOff };
}

const error = (code: string): EngineError => ({ code, message: "why", what_to_do: "" });

describe("the lesson's questions", () => {
  it("go to the GPU where there is one, else to the twin", async () => {
    for (const [adapter, expected] of [
      [FOUND, "gpu"],
      [{ kind: "failed", error: error("no-adapter") }, "cpu-twin"],
      [{ kind: "cpu-twin" }, "cpu-twin"],
    ] as const) {
      const { lesson, calls } = session(adapter);
      expect((await lesson.ask(QUESTION)).computed.on).toBe(expected);
      expect(calls).toEqual([expected]);
    }
  });

  it("wait until the GPU was looked for and the engine is free", async () => {
    const { lesson, adapter, isBusy, calls } = session({ kind: "checking" });
    isBusy.value = true;
    const answer = lesson.ask(QUESTION);
    adapter.value = FOUND;
    await Promise.resolve();
    expect(calls).toEqual([]);
    isBusy.value = false;
    await answer;
    expect(calls).toEqual(["gpu"]);
    expect(lesson.isAsking.value).toBe(false);
  });

  it("go to the twin from then on where the GPU fails, and the engine is told", async () => {
    const { lesson, calls, brokenOff } = session(FOUND, error("device-lost"));
    expect((await lesson.ask(QUESTION)).computed.on).toBe("cpu-twin");
    await lesson.ask(QUESTION);
    expect(calls).toEqual(["gpu", "cpu-twin", "cpu-twin"]);
    expect(brokenOff).toEqual(["device-lost"]);
    expect(lesson.gpuFailure.value?.code).toBe("device-lost");
  });

  it("are refused where they cannot be, and the next one is answered", async () => {
    const { lesson, calls } = session(FOUND, error("bad-request"));
    await expect(lesson.ask(QUESTION)).rejects.toMatchObject({ code: "bad-request" });
    await expect(lesson.ask(QUESTION)).rejects.toMatchObject({ code: "bad-request" });
    expect(calls).toEqual(["gpu", "gpu"]);
  });
});
