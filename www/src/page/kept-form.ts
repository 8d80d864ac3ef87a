// What stands in the form, kept so that a reload does not lose it. Only ever in this tab's session storage: no other tab and no later visit
// sees a prompt, and the browser drops it when the tab is closed. What a link says is filled in over it.
import { effect, untracked } from "@preact/signals";
import type { Form } from "./form";
import { inputsIn } from "./link";

const KEY = "lastbit.form";

/** Fills the form with what this tab last had in it, and keeps what is in it from now on. */
export function keepForm(form: Form): void {
  const kept = read();
  if (kept !== null) form.fill(inputsIn(kept).inputs);
  effect(() => {
    const { max_tokens, ...inputs } = form.linkInputs();
    // A length that nobody chose is the processor's.
    const text = JSON.stringify(form.isLengthChosen.value ? { ...inputs, max_tokens } : inputs);
    untracked(() => write(text));
  });
}

function read(): object | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

function write(text: string): void {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    // Private windows refuse, and a very long text has no room; the form then lasts as long as the page.
  }
}
