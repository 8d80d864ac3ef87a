// Single keys for what is done often. They can be turned off, and never take a key from a field.
import { preference } from "./preference";

export type Shortcut = "help" | "run" | "stop" | "fork" | "why";

const KEYS: Record<string, Shortcut> = { "?": "help", r: "run", Escape: "stop", f: "fork", w: "why" };

export const shortcuts = preference("shortcuts", ["on", "off"], "on");

/** What a key press means; null where it means nothing, or is meant for a field. Pure. */
export function shortcutOf(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat">,
  isInField: boolean,
): Shortcut | null {
  if (isInField || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return null;
  return Object.hasOwn(KEYS, event.key) ? (KEYS[event.key] ?? null) : null;
}

/** Whether a key press in a field starts what the fields say: Enter, or with Ctrl or ⌘ where Enter writes a new line. Pure. */
export function startsRun(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "repeat" | "isComposing">,
  field: "line" | "lines" | null,
): boolean {
  if (event.key !== "Enter" || event.repeat || event.isComposing) return false;
  return field === "line" || (field === "lines" && (event.ctrlKey || event.metaKey));
}

/** What kind of field a key press is in; null where Enter has another use, as on a button. */
export function fieldOf(target: EventTarget | null): "line" | "lines" | null {
  if (target instanceof HTMLTextAreaElement) return "lines";
  return target instanceof HTMLInputElement && target.type === "number" ? "line" : null;
}

/** Calls `act` for every shortcut from now on. */
export function listenForShortcuts(act: (shortcut: Shortcut) => void): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const shortcut = shortcutOf(event, takesKeys(event.target));
    if (shortcut === null || (shortcuts.value === "off" && shortcut !== "stop")) return;
    event.preventDefault();
    act(shortcut);
  });
}

/** A slider or a radio button has its own use for arrows, but none for letters. */
function takesKeys(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !["range", "radio", "checkbox", "button"].includes(target.type);
  return target.isContentEditable || target.matches("textarea, select");
}
