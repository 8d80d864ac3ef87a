// The list of shortcuts, with the switch that turns them off. Opened by its button and by "?".
import { useRef } from "preact/hooks";
import { messages } from "./language";
import { shortcuts } from "./shortcuts";

export const SHORTCUTS_DIALOG_ID = "shortcuts";

export function ShortcutsDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const words = messages.value.shortcuts;
  const keys: [string, string][] = [
    ["r", words.run],
    ["Ctrl Enter", words.runFromField],
    ["Esc", words.stop],
    ["f", words.fork],
    ["w", words.why],
    ["← →", words.arrows],
    ["?", words.help],
  ];
  return (
    <>
      <button type="button" class="quiet" onClick={() => dialog.current?.showModal()}>
        {words.title}
      </button>
      <dialog ref={dialog} id={SHORTCUTS_DIALOG_ID} aria-labelledby="shortcuts-heading">
        <h2 id="shortcuts-heading">{words.title}</h2>
        <dl class="keys">
          {keys.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <label>
          <input
            type="checkbox"
            checked={shortcuts.value === "on"}
            onChange={(event) => {
              shortcuts.value = event.currentTarget.checked ? "on" : "off";
            }}
          />{" "}
          {words.switch}
        </label>
        <form method="dialog">
          <button type="submit">{words.close}</button>
        </form>
      </dialog>
    </>
  );
}
