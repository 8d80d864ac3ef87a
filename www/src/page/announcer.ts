// What the one status line says: events, never tokens, and at most one message a second.

const SHORTEST_GAP_MS = 1000;
const PROGRESS_GAP_MS = 10_000;

export class Announcer {
  readonly #say: (message: string) => void;
  readonly #now: () => number;
  readonly #later: (run: () => void, ms: number) => void;
  #queue: string[] = [];
  #lastSaidAt = Number.NEGATIVE_INFINITY;
  #lastProgressAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(
    say: (message: string) => void,
    now: () => number = () => performance.now(),
    later: (run: () => void, ms: number) => void = (run, ms) => setTimeout(run, ms),
  ) {
    this.#say = say;
    this.#now = now;
    this.#later = later;
  }

  /** Says something once, as soon as the line may change again. */
  event(message: string): void {
    this.#queue.push(message);
    this.#lastProgressAt = this.#now();
    this.#flush();
  }

  /** Says at once that something failed, in place of what was still to be said: the line must not tell of a start. */
  failure(message: string): void {
    this.#queue = [];
    this.#lastProgressAt = this.#now();
    this.#lastSaidAt = this.#now();
    this.#say(message);
  }

  /** Says how far it is, unless something was said in the last ten seconds. */
  progress(message: string): void {
    if (this.#now() - this.#lastProgressAt >= PROGRESS_GAP_MS) this.event(message);
  }

  #flush(): void {
    if (this.#isWaiting) return;
    const wait = this.#lastSaidAt + SHORTEST_GAP_MS - this.#now();
    if (wait > 0) {
      this.#isWaiting = true;
      this.#later(() => {
        this.#isWaiting = false;
        this.#flush();
      }, wait);
      return;
    }
    const message = this.#queue.shift();
    if (message === undefined) return;
    this.#lastSaidAt = this.#now();
    this.#say(message);
    if (this.#queue.length > 0) this.#flush();
  }
}
