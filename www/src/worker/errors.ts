// Turns anything thrown in the worker into the one error object that the page shows.
import type { EngineError } from "../shared/protocol";

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

/** A comparison that ended with the verdict `error`. */
export function brokenOff(why: string | null): EngineError {
  return {
    code: "run-failed",
    message: why ?? "The engine gave no reason.",
    what_to_do: "Run it again. If it fails again, start the GPU again by reloading the page.",
  };
}
