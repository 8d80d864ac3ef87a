// What an answer says of the file that its bytes are of.
import type { AnswerHead } from "../shared/download-protocol";
import type { FileVersion } from "../shared/model-records";

/** `bytes 40-99/100`: the place of an answer's bytes in the file; `total` is null for `*`. */
export interface ContentRange {
  start: number;
  end: number;
  total: number | null;
}

export function contentRangeOf({ headers }: AnswerHead): ContentRange | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers["content-range"] ?? "");
  if (!match) return null;
  const total = match[3] === "*" ? null : Number(match[3]);
  return { start: Number(match[1]), end: Number(match[2]), total };
}

/** How long a file is that has no bytes where some were asked for; null where that is not told. */
export function lengthAtItsEnd({ status, headers }: AnswerHead): number | null {
  const match = /^bytes \*\/(\d+)$/.exec(headers["content-range"] ?? "");
  return status === 416 && match ? Number(match[1]) : null;
}

/** The bytes that a whole answer has, as far as they can be told: encoded ones are others. */
export function contentLengthOf({ headers }: AnswerHead): number | null {
  const length = headers["content-length"];
  if (length === undefined || (headers["content-encoding"] ?? "identity") !== "identity") return null;
  return /^\d+$/.test(length) ? Number(length) : null;
}

export function versionOf(head: AnswerHead): FileVersion {
  const range = head.status === 206 ? contentRangeOf(head) : null;
  return {
    etag: head.headers.etag ?? null,
    last_modified: head.headers["last-modified"] ?? null,
    total: totalOf(head),
    total_is_sure: typeof range?.total === "number",
  };
}

function totalOf(head: AnswerHead): number | null {
  if (head.status === 206) return contentRangeOf(head)?.total ?? null;
  return head.status === 416 ? lengthAtItsEnd(head) : contentLengthOf(head);
}

/** The value of `If-Range`: a strong ETag, or a date. Null where there is nothing to go by. */
export function ifRangeOf({ etag, last_modified }: FileVersion): string | null {
  return etag !== null && !etag.startsWith("W/") ? etag : last_modified;
}

/** Whether nothing that both answers tell is different. */
export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  const differ = <T>(one: T | null, other: T | null) => one !== null && other !== null && one !== other;
  return !(differ(a.etag, b.etag) || differ(a.last_modified, b.last_modified) || differ(a.total, b.total));
}
