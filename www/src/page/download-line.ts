// The line under the download bar: bytes, rate and time left once there is a rate.
import { megabytes } from "./format";
import { messages } from "./language";

/** `total` is null where nobody knows it; `receivedBefore` is what an earlier try brought. */
export function downloadLine(
  received: number,
  total: number | null,
  elapsedMs: number,
  receivedBefore = 0,
): string {
  const { load } = messages.value;
  const line =
    total === null ? megabytes(received) : load.received((received / 1e6).toFixed(1), megabytes(total));
  const bytesPerMs = (received - receivedBefore) / elapsedMs;
  if (elapsedMs < 300 || !(bytesPerMs > 0)) return line;
  const rate = `${megabytes(bytesPerMs * 1000)}/s`;
  if (total === null) return `${line} · ${rate}`;
  const left = Math.ceil((total - received) / bytesPerMs / 1000);
  return `${line} · ${rate} · ${left === 0 ? load.almostDone : load.secondsLeft(left)}`;
}
