// This browser's storage for tests: files in memory, one writer each, with a quota kept as Chromium keeps it.
import type { Place } from "../../src/worker/model-store";

/** What Chromium's synchronous write answers past the quota, in place of an exception. */
const PAST_THE_QUOTA = 4_294_967_288;

export class FakeStorage {
  readonly files = new Map<string, Uint8Array>();
  readonly #held = new Set<string>();
  readonly #locks = new Map<string, "shared" | "exclusive">();
  quota_bytes = Number.POSITIVE_INFINITY;

  /** As one page sees it; another tab is another place in the same storage. */
  place(): Place {
    return {
      folder: this.#folder() as unknown as FileSystemDirectoryHandle,
      locks: { request: this.#request } as unknown as LockManager,
      estimate: async () => ({ quota: this.quota_bytes, usage: this.#usage() }),
    };
  }

  text(name: string): string {
    return new TextDecoder().decode(this.files.get(name));
  }

  record(): Record<string, unknown> {
    const name = [...this.files.keys()].find((key) => key.endsWith(".json"));
    return name === undefined ? {} : JSON.parse(this.text(name)).record;
  }

  /** The bytes of the only file with this ending. */
  bytes(ending: string): number[] | null {
    const name = [...this.files.keys()].find((key) => key.endsWith(ending));
    return name === undefined ? null : [...(this.files.get(name) ?? [])];
  }

  /** The tab of whoever holds something was closed. */
  endTab(): void {
    this.#held.clear();
    this.#locks.clear();
  }

  #usage(): number {
    return [...this.files.values()].reduce((sum, { length }) => sum + length, 0);
  }

  #folder() {
    return {
      getFileHandle: async (name: string, options?: { create: boolean }) => {
        if (!this.files.has(name)) {
          if (!options?.create) throw new DOMException("none", "NotFoundError");
          this.files.set(name, new Uint8Array(0));
        }
        return this.#handle(name);
      },
      removeEntry: async (name: string) => {
        if (this.#held.has(name)) throw new DOMException("busy", "NoModificationAllowedError");
        if (!this.files.delete(name)) throw new DOMException("none", "NotFoundError");
      },
      keys: () => this.#names(),
    };
  }

  async *#names() {
    yield* [...this.files.keys()];
  }

  #handle(name: string) {
    return {
      getFile: async () => new File([new Uint8Array(this.files.get(name) ?? [])], name),
      createWritable: async () => {
        let text = "";
        return {
          write: async (more: string) => {
            text += more;
          },
          close: async () => this.#replace(name, new TextEncoder().encode(text)),
        };
      },
      createSyncAccessHandle: async () => {
        if (this.#held.has(name)) throw new DOMException("busy", "NoModificationAllowedError");
        this.#held.add(name);
        return this.#access(name);
      },
      move: async (to: string) => {
        this.files.set(to, this.files.get(name) ?? new Uint8Array(0));
        this.files.delete(name);
      },
    };
  }

  #replace(name: string, bytes: Uint8Array): void {
    const before = this.files.get(name)?.length ?? 0;
    if (this.#usage() - before + bytes.length > this.quota_bytes) {
      throw new DOMException("full", "QuotaExceededError");
    }
    this.files.set(name, bytes);
  }

  #access(name: string) {
    const now = () => this.files.get(name) ?? new Uint8Array(0);
    return {
      getSize: () => now().length,
      flush: () => {},
      close: () => this.#held.delete(name),
      read: (into: Uint8Array, { at }: { at: number }) => {
        const slice = now().subarray(at, at + into.length);
        into.set(slice);
        return slice.length;
      },
      write: (bytes: Uint8Array, { at }: { at: number }) => {
        const room = this.quota_bytes - this.#usage() + now().length - at;
        const taken = bytes.subarray(0, Math.max(0, room));
        const longer = new Uint8Array(Math.max(now().length, at + taken.length));
        longer.set(now());
        longer.set(taken, at);
        this.files.set(name, longer);
        return taken.length === bytes.length ? bytes.length : PAST_THE_QUOTA;
      },
      truncate: (length: number) => {
        if (length < now().length) this.files.set(name, now().slice(0, length));
      },
    };
  }

  readonly #request = async (
    name: string,
    options: { mode?: "shared" | "exclusive" },
    work: (lock: object | null) => unknown,
  ): Promise<unknown> => {
    const { mode = "exclusive" } = options;
    const held = this.#locks.get(name);
    if (held === "exclusive" || (held === "shared" && mode === "exclusive")) return work(null);
    this.#locks.set(name, mode);
    try {
      return await work({});
    } finally {
      this.#locks.delete(name);
    }
  };
}
