// A person's own model: a file, all parts of one, or an address.
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { ModelSource } from "../shared/protocol";
import type { Session } from "./session";

interface SourcePickerProps {
  session: Session;
  onChoose: (source: ModelSource) => void;
}

export function SourcePicker({ session, onChoose }: SourcePickerProps) {
  const isBuiltIn = session.selection.value.source.kind === "built-in";
  const isBusy = session.isBusy.value;
  return (
    <details class="more picker">
      <summary>Another model: a GGUF file of yours, or an address</summary>
      <div class="picker-ways">
        <FileField isBusy={isBusy} onChoose={onChoose} />
        <AddressField isBusy={isBusy} session={session} onChoose={onChoose} />
      </div>
      {!isBuiltIn && (
        <button type="button" class="quiet" disabled={isBusy} onClick={() => session.chooseBuiltIn()}>
          Go back to {session.builtIn.title}
        </button>
      )}
    </details>
  );
}

/** Shows the ways to another model, and goes to the first of them. */
export function openPicker(): void {
  const picker = document.querySelector<HTMLDetailsElement>(".picker");
  if (!picker) return;
  picker.open = true;
  picker.querySelector("input")?.focus();
}

interface FieldProps {
  isBusy: boolean;
  onChoose: (source: ModelSource) => void;
}

function FileField({ isBusy, onChoose }: FieldProps) {
  const hint = useId();
  return (
    <div class="field">
      <label class="field">
        <span class="label">GGUF file, or all parts of one</span>
        <input
          type="file"
          accept=".gguf"
          multiple
          disabled={isBusy}
          aria-describedby={hint}
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            // The same file can be chosen again, after it was changed.
            event.currentTarget.value = "";
            if (files.length > 0) onChoose({ kind: "files", files });
          }}
        />
      </label>
      <p class="hint" id={hint}>
        Or drop it anywhere on this page. It is read from the disk and goes nowhere else. Parts are named
        …-00001-of-00003.gguf.
      </p>
    </div>
  );
}

function AddressField({ isBusy, session, onChoose }: FieldProps & { session: Session }) {
  const typed = useSignal("");
  const hint = useId();
  const choose = (event: Event) => {
    event.preventDefault();
    const url = session.addressFrom(typed.value);
    if (url !== null) onChoose({ kind: "url", url });
  };
  return (
    <form class="field" noValidate onSubmit={choose}>
      <label class="field">
        <span class="label">Address of a GGUF file</span>
        <input
          type="url"
          placeholder="https://…/model.gguf"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          disabled={isBusy}
          aria-describedby={hint}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <p class="hint" id={hint}>
        Only that host is asked, without cookies. First the header is fetched, and you see whether the model
        fits.
      </p>
      <button type="submit" class="quiet" disabled={isBusy || typed.value.trim() === ""}>
        Check the address
      </button>
    </form>
  );
}
