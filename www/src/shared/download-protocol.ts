// What crosses between the engine's worker and the worker that downloads, which alone may reach other hosts.
// Types only.

export type DownloadRequest =
  | { kind: "ask"; id: number; url: string; headers: Record<string, string> }
  /** One piece of the body. */
  | { kind: "read"; id: number }
  | { kind: "close"; id: number };

/** The answer's head. Headers that another host does not show to pages are missing. */
export interface AnswerHead {
  status: number;
  /** Where the answer came from, after redirects. */
  url: string;
  headers: Record<string, string>;
}

export type DownloadResponse =
  | { kind: "head"; id: number; head: AnswerHead }
  | { kind: "piece"; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "end"; id: number }
  | { kind: "failed"; id: number; reason: string };
