// The words for everything that can go wrong between a source and the engine.
import type { EngineError } from "../shared/engine-records";

export function httpError(url: string, status: number): EngineError {
  return {
    code: "download-http",
    message: `The server answered with status ${status} for ${url}.`,
    what_to_do: "Check the address, and whether the file can be fetched without signing in; then try again.",
  };
}

export function networkError(url: string, reason: string, isSameOrigin: boolean): EngineError {
  return {
    code: "download-network",
    message: `No answer came from ${new URL(url).host} for ${url} (${reason}).`,
    what_to_do: isSameOrigin
      ? "Check that the server that gave you this page is still running, then try again."
      : "Check the connection. If it is up, that server may not let pages of other sites read its files: download the file and choose it here.",
  };
}

export function cutDownload(received: number, total: number | null, reason: string): EngineError {
  const of = total === null ? "" : ` of ${total}`;
  return {
    code: "download-cut",
    message: `The download broke off after ${received}${of} bytes (${reason}).`,
    what_to_do: "Continue the download: it goes on from the byte where it stopped.",
  };
}

export function cancelledDownload(): EngineError {
  return {
    code: "download-cancelled",
    message: "You stopped the download.",
    what_to_do: "Continue it whenever you like: it goes on from the byte where it stopped.",
  };
}

export function cancelledPreparation(): EngineError {
  return {
    code: "download-cancelled",
    message: "You stopped while the model was checked and made ready.",
    what_to_do: "Load it again whenever you like: what this browser keeps of it is not downloaded again.",
  };
}

export function wrongLength(expected: number, found: string): EngineError {
  return {
    code: "bad-file",
    message: `The model file should have ${expected} bytes, the server offers ${found}.`,
    what_to_do: "Fetch the model again on the serving side (make run does this), then try again.",
  };
}

export function endlessAnswer(url: string, most: number): EngineError {
  return {
    code: "bad-file",
    message: `The answer from ${url} goes on after ${most} bytes, long after the model's end.`,
    what_to_do: "Choose another address: this one does not give a plain GGUF file.",
  };
}

export function wrongRange(url: string): EngineError {
  return {
    code: "download-http",
    message: `The server answered with other bytes of ${url} than were asked for.`,
    what_to_do: "Download the file with another program and choose it here.",
  };
}

export function refusedAddress(url: string): EngineError {
  return {
    code: "bad-address",
    message: `The server sent the download on to ${url}, which is not https.`,
    what_to_do: "Use an address that gives the file over https.",
  };
}

export function changedFile(name: string): EngineError {
  return {
    code: "file-changed",
    message: `${name} can no longer be read: it was moved, deleted or changed after you chose it.`,
    what_to_do: "Choose the file again.",
  };
}

export function changedWhileRead(url: string): EngineError {
  return {
    code: "file-changed",
    message: `The file at ${url} is another one now than when its header was read.`,
    what_to_do: "Check the address again.",
  };
}

/** These are of one file; others, as a lost device, are of no part of a model. */
const OF_ONE_FILE: readonly string[] = [
  "bad-address",
  "bad-file",
  "download-cut",
  "download-http",
  "download-network",
  "file-changed",
  "hash-mismatch",
];

/** What went wrong with one of a model's files, with the part named. */
export function ofPart(error: EngineError, number: number, count: number): EngineError {
  if (!OF_ONE_FILE.includes(error.code)) return error;
  return { ...error, message: `Part ${number} of ${count}: ${error.message}` };
}

export function wrongPart(url: string, expected: string, found: string): EngineError {
  return {
    code: "hash-mismatch",
    message: `What is kept of ${url} has the SHA-256 ${found}, not ${expected} as when it was stored.`,
    what_to_do: "Load the model again: this part is downloaded anew.",
  };
}
