// Two token streams as one trunk and two arms. Pure; the DOM is stream-view.ts.

export interface StreamToken {
  id: number;
  /** What to append to the text; empty until a character is complete. */
  piece: string;
  /** The token's own text. */
  text: string;
}

export interface Split {
  /** Tokens that both sides have in common from the start. */
  n_shared: number;
  /** Index of the first different token, or null while there is none. */
  fork: number | null;
}

/** Where two streams part. A stream that is merely longer has not parted. */
export function splitOf(left: readonly { id: number }[], right: readonly { id: number }[]): Split {
  const n_common = Math.min(left.length, right.length);
  for (let index = 0; index < n_common; index += 1) {
    if (left[index]?.id !== right[index]?.id) return { n_shared: index, fork: index };
  }
  return { n_shared: n_common, fork: null };
}

/** True where both arms have the same token at the same position again, after the fork. */
export function agreesAgain(
  left: readonly { id: number }[],
  right: readonly { id: number }[],
  fork: number,
  index: number,
): boolean {
  const token = left[index];
  return index > fork && token !== undefined && token.id === right[index]?.id;
}
