// A person's own model: a file, all parts of one, or an address.
import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import type { ModelSource } from "../../shared/protocol";
import { messages } from "../language";
import { isPickerWanted } from "../picker-wish";
import type { Session } from "../session";

interface SourcePickerProps {
  session: Session;
  onChoose: (source: ModelSource) => void;
}

export function SourcePicker({ session, onChoose }: SourcePickerProps) {
  const isBuiltIn = session.selection.value.source.kind === "built-in";
  const isBusy = session.isBusy.value;
  const { choice } = messages.value;
  useEffect(() => {
    if (!isPickerWanted.value) return;
    isPickerWanted.value = false;
    // Behind the view itself, which is read from its heading on.
    setTimeout(() => document.querySelector<HTMLInputElement>(".picker input")?.focus());
  }, [isPickerWanted.value]);
  return (
    <section class="picker" aria-labelledby="picker-heading">
      <h2 id="picker-heading">{choice.summary}</h2>
      <div class="picker-ways">
        <FileField isBusy={isBusy} onChoose={onChoose} />
        <AddressField isBusy={isBusy} session={session} onChoose={onChoose} />
      </div>
      {!isBuiltIn && (
        <button type="button" class="quiet" disabled={isBusy} onClick={() => session.choices.chooseBuiltIn()}>
          {choice.goBackTo(session.builtIn.title)}
        </button>
      )}
    </section>
  );
}

interface FieldProps {
  isBusy: boolean;
  onChoose: (source: ModelSource) => void;
}

function FileField({ isBusy, onChoose }: FieldProps) {
  const hint = useId();
  const { choice } = messages.value;
  return (
    <div class="field">
      <label class="field">
        <span class="label">{choice.file}</span>
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
        {choice.fileHint}
      </p>
    </div>
  );
}

function AddressField({ isBusy, session, onChoose }: FieldProps & { session: Session }) {
  const typed = useSignal("");
  const hint = useId();
  const { choice } = messages.value;
  const choose = (event: Event) => {
    event.preventDefault();
    const url = session.choices.addressFrom(typed.value);
    if (url !== null) onChoose({ kind: "url", url });
  };
  return (
    <form class="field" noValidate onSubmit={choose}>
      <label class="field">
        <span class="label">{choice.address}</span>
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
        {choice.addressHint}
      </p>
      <button type="submit" class="quiet" disabled={isBusy || typed.value.trim() === ""}>
        {choice.checkAddress}
      </button>
    </form>
  );
}
