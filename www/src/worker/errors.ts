// Turns anything thrown in the worker into the one error object that the page shows.
import type { EngineError } from "../shared/engine-records";

/** Keeps an EngineError as it is; anything else is a bug of ours, shown with its message. */
export function engineErrorFrom(reason: unknown): EngineError {
  if (isEngineError(reason)) return reason;
  return {
    code: "internal",
    message: reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason),
    what_to_do: "Reload the page. If it happens again, please report it with this message.",
  };
}

function isEngineError(reason: unknown): reason is EngineError {
  if (typeof reason !== "object" || reason === null) return false;
  const fields = reason as Record<string, unknown>;
  return ["code", "message", "what_to_do"].every((name) => typeof fields[name] === "string");
}

/** A call that came at the wrong time. */
export function refusedCall(why: string): EngineError {
  return {
    code: "refused-call",
    message: `The engine refused the call: ${why}.`,
    what_to_do: "Reload the page.",
  };
}

/** What ended a comparison with the verdict `error`: the loss of the device, or else what the engine says. */
export function whyBrokenOff(told: EngineError | null, loss: EngineError | null): EngineError {
  return (
    loss ??
    told ?? {
      code: "run-failed",
      message: "The engine gave no reason.",
      what_to_do: "Run it again. If it fails again, start the GPU again by reloading the page.",
    }
  );
}
