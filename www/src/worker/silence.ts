// A server that goes silent: how long it is waited for, and how often it is asked again.

const MOST_SILENCE_MS = 30_000;
export const MOST_TRIES = 6;

/** Resolves after so many milliseconds, or as soon as the signal says so. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitFor: Wait = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

/** Nothing came for so long that it is better to ask again. */
export class Silence extends Error {}

/** What `work` gives, or a Silence where it takes too long. */
export async function unlessSilent<T>(work: Promise<T>, wait: Wait): Promise<T> {
  const answered = new AbortController();
  const silence = wait(MOST_SILENCE_MS, answered.signal).then((): never => {
    throw new Silence();
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    answered.abort();
  }
}

/** One second before the first further try, then twice as long each time. */
export function pauseBefore(nthTry: number): number {
  return 1000 * 2 ** (nthTry - 1);
}
