// A server for tests of downloads: one file, in pieces of ten bytes, with every bad habit that servers have.
import type { Answer, Ask } from "../../src/worker/ask";

export const SITE = "http://localhost:8080";
export const FILE = Uint8Array.from({ length: 100 }, (_, index) => index);

export interface Habits {
  file?: Uint8Array;
  etag?: string | null;
  last_modified?: string | null;
  ignores_range?: boolean;
  /** Another host's answers show neither version nor range. */
  hides_headers?: boolean;
  sends_length?: boolean;
  status?: number;
  /** Says these bytes in place of those that it sends. */
  content_range?: string;
  content_length?: string;
  content_encoding?: string;
  /** Where the answer comes from, after redirects. */
  answers_from?: string;
  /** Breaks off after so many bytes: with an error, or as if that were all. */
  cut_after?: number;
  ends_cleanly?: boolean;
  /** Encodes ranges too, which browsers take for no answer. */
  encodes_ranges?: boolean;
  /** No answer at all. */
  unreachable?: boolean;
}

export interface Asked {
  url: string;
  range: string | undefined;
  if_range: string | undefined;
}

/** The n-th request meets the n-th habits, and the last ones ever after. */
export function fakeServer(...each: Habits[]): { ask: Ask; asked: Asked[]; n_closed: () => number } {
  const asked: Asked[] = [];
  let closed = 0;
  const ask: Ask = async (url, headers, signal) => {
    const habits = each[Math.min(asked.length, each.length - 1)] ?? {};
    asked.push({ url, range: headers.Range, if_range: headers["If-Range"] });
    if (habits.unreachable || (habits.encodes_ranges && headers.Range)) throw "TypeError: Failed to fetch";
    return answer(url, headers, signal, habits, () => {
      closed += 1;
    });
  };
  return { ask, asked, n_closed: () => closed };
}

function answer(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  habits: Habits,
  close: () => void,
): Answer {
  const file = habits.file ?? FILE;
  const { etag = '"one"', last_modified = null } = habits;
  const [from, to] = rangeOf(headers.Range, file.length);
  const wanted = headers["If-Range"];
  const isSame = wanted === undefined || wanted === etag || wanted === last_modified;
  const isPart = headers.Range !== undefined && !habits.ignores_range && isSame;
  const status = habits.status ?? (isPart ? (from >= file.length ? 416 : 206) : 200);
  const [start, end] = status === 206 ? [from, to] : [0, file.length - 1];
  const told: Record<string, string | null | undefined> = {
    etag,
    "last-modified": last_modified,
    "content-length":
      habits.content_length ?? (habits.sends_length === false ? undefined : String(end - start + 1)),
    "content-encoding": habits.content_encoding,
    "content-range":
      status === 206
        ? (habits.content_range ?? `bytes ${start}-${end}/${file.length}`)
        : status === 416
          ? `bytes */${file.length}`
          : undefined,
  };
  const shown = habits.hides_headers ? ["content-length", "last-modified"] : Object.keys(told);
  let at = start;
  const stop = habits.cut_after === undefined ? null : start + habits.cut_after;
  return {
    status,
    url: habits.answers_from ?? url,
    headers: Object.fromEntries(shown.flatMap((name) => (told[name] ? [[name, told[name]]] : []))),
    read: async () => {
      if (signal.aborted) throw "it was stopped";
      if (stop !== null && at >= stop) {
        if (habits.ends_cleanly) return null;
        throw "TypeError: network error";
      }
      if (status === 416 || at > end) return null;
      const piece = file.slice(at, Math.min(at + 10, end + 1));
      at += piece.length;
      return piece;
    },
    close,
  };
}

function rangeOf(header: string | undefined, length: number): [number, number] {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? "");
  const end = match?.[2] ? Math.min(Number(match[2]), length - 1) : length - 1;
  return [Number(match?.[1] ?? 0), end];
}
