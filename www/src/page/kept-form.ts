// What stands in the form, kept so that a reload does not lose it. Only ever in this tab's session storage: no other tab and no later visit
// sees a prompt, and the browser drops it when the tab is closed. What a link says is filled in over it.
import { effect, untracked } from "@preact/signals";
import type { Form } from "./form";
import { inputsIn } from "./link";

const KEY = "lastbit.form";
const LINK_KEY = "lastbit.link";
let isFirstLink = true;

/** Fills the form with what this tab last had in it, and keeps what is in it from now on. */
export function keepForm(form: Form): void {
  const kept = read(KEY);
  if (typeof kept === "object" && kept !== null) form.fill(inputsIn(kept).inputs);
  effect(() => {
    const { max_tokens, ...inputs } = form.linkInputs();
    // A length that nobody chose is the processor's.
    const text = JSON.stringify(form.isLengthChosen.value ? { ...inputs, max_tokens } : inputs);
    untracked(() => write(KEY, text));
  });
}

/** Whether what a link says is filled in: not where a reload brings the one again that was, since what was typed behind it is kept. */
export function isTaken(link: string): boolean {
  const isReload = performance.getEntriesByType("navigation").some((entry) => {
    return (entry as PerformanceNavigationTiming).type === "reload";
  });
  const isAgain = isFirstLink && isReload && read(LINK_KEY) === link;
  isFirstLink = false;
  write(LINK_KEY, JSON.stringify(link));
  return !isAgain;
}

function read(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function write(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // Private windows refuse, and a very long text has no room; the form then lasts as long as the page.
  }
}
