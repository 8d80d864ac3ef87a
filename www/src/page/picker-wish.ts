// The wish for another model: it is fulfilled in the view Models, wherever it was made.
import { signal } from "@preact/signals";
import { show } from "./views";

/** Whether the first of the ways to another model is to be gone to. */
export const isPickerWanted = signal(false);

export function openPicker(): void {
  show("models");
  isPickerWanted.value = true;
}
