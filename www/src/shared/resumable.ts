// Which failures of a load leave the part that arrived usable. The worker and the page must agree on it.
import type { EngineError } from "./engine-records";

const RESUMABLE: readonly string[] = [
  "download-cut",
  "download-cancelled",
  "download-http",
  "download-network",
];

/** Whether the next try may go on from the byte where this one stopped; after anything else it starts anew. */
export function isResumable(error: Pick<EngineError, "code">): boolean {
  return RESUMABLE.includes(error.code);
}
