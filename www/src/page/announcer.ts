// What the one status line says: events, never tokens, and at most one message a second.

const SHORTEST_GAP_MS = 1000;
const PROGRESS_GAP_MS = 10_000;

export class Announcer {
  readonly #say: (message: string) => void;
  readonly #now: () => number;
  readonly #later: (run: () => void, ms: number) => void;
  #queue: string[] = [];
  /** What is going on and was not said yet; it is of no use once something else is. */
  #stage: string | null = null;
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
    this.#stage = null;
    this.#queue.push(message);
    this.#lastProgressAt = this.#now();
    this.#flush();
  }

  /** Says at once that something failed, in place of what was still to be said: the line must not tell of a start. */
  failure(message: string): void {
    this.#queue = [];
    this.#stage = null;
    this.#lastProgressAt = this.#now();
    this.#lastSaidAt = this.#now();
    this.#say(message);
  }

  /** Says what is going on now, unless something else is before the line may change again. */
  stage(message: string): void {
    this.#stage = message;
    this.#lastProgressAt = this.#now();
    this.#flush();
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
    const message = this.#queue.shift() ?? this.#takeStage();
    if (message === null) return;
    this.#lastSaidAt = this.#now();
    this.#say(message);
    if (this.#queue.length > 0 || this.#stage !== null) this.#flush();
  }

  #takeStage(): string | null {
    const stage = this.#stage;
    this.#stage = null;
    return stage;
  }
}
