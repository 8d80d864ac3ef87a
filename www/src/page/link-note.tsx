// What a link brought, and what of it could not be used.
import { useEffect, useState } from "preact/hooks";
import type { Form } from "./form";
import { messages } from "./language";
import { type ReadLink, readLink } from "./link";
import type { Session } from "./session";
import { address } from "./views";

interface LinkNoteProps {
  session: Session;
  form: Form;
  /** Reads the header of the model that the link names. */
  onModel: (url: string) => void;
}

export function LinkNote({ session, form, onModel }: LinkNoteProps) {
  const [read, setRead] = useState<ReadLink | null>(null);
  const { parameters } = address.value;
  useEffect(() => {
    void readLink(parameters).then((found) => {
      if (found) form.fill(found.inputs);
      if (found) setRead(found);
    });
  }, [parameters, form]);
  if (read === null) return null;
  const { link } = messages.value;
  const url = read.inputs.model_url ?? null;
  return (
    <div class="note-box link-note">
      {Object.keys(read.inputs).length > 0 && <p>{link.opened}</p>}
      {read.ignored.length > 0 && (
        <p>
          <bdi>{link.ignored(read.ignored.join(", "))}</bdi>
        </p>
      )}
      {url !== null && (
        <p>
          <bdi>{link.wantsModel(url)}</bdi>{" "}
          <button type="button" class="quiet" disabled={session.isBusy.value} onClick={() => onModel(url)}>
            {link.readModel}
          </button>
        </p>
      )}
      <button type="button" class="quiet" onClick={() => setRead(null)}>
        {link.dismiss}
      </button>
    </div>
  );
}
