// What a person prefers, kept in this browser. Where it keeps nothing, a preference lasts as long as the page.
import { effect, type Signal, signal } from "@preact/signals";

export function preference<T extends string>(name: string, allowed: readonly T[], usual: T): Signal<T> {
  const key = `lastbit.${name}`;
  const kept = signal(read(key, allowed) ?? usual);
  effect(() => write(key, kept.value));
  return kept;
}

function read<T extends string>(key: string, allowed: readonly T[]): T | undefined {
  try {
    const found = localStorage.getItem(key);
    return allowed.find((value) => value === found);
  } catch {
    return undefined;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows refuse; the choice holds until the page is closed.
  }
}
