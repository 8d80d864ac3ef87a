// What a link brought, and what of it could not be used.
import { useEffect, useState } from "preact/hooks";
import { modelUrlFrom } from "../shared/model-url";
import type { Form } from "./form";
import { shortened } from "./format";
import { isTaken } from "./kept-form";
import { messages } from "./language";
import { type ReadLink, readLink } from "./link";
import type { Session } from "./session";
import { address, show } from "./views";

interface LinkNoteProps {
  session: Session;
  form: Form;
}

export function LinkNote({ session, form }: LinkNoteProps) {
  const [read, setRead] = useState<ReadLink | null>(null);
  const [isFilledIn, setFilledIn] = useState(false);
  const [isMissingShown, showMissing] = useState(true);
  const { parameters, missing_view } = address.value;
  useEffect(() => {
    void readLink(parameters).then((found) => {
      if (found === null) return;
      const isFilled = isTaken(parameters.toString());
      if (isFilled) form.fill(found.inputs);
      setFilledIn(isFilled);
      setRead(found);
    });
    showMissing(true);
  }, [parameters, form]);
  const missing = isMissingShown ? missing_view : null;
  const { link } = messages.value;
  const { inputs, ignored } = read ?? { inputs: {}, ignored: [] };
  const isOpened = isFilledIn && Object.keys(inputs).length > 0;
  if (missing === null && !isOpened && ignored.length === 0 && !inputs.model_url) return null;
  return (
    <div class="note-box link-note">
      {missing !== null && (
        <p>
          <bdi>{link.noSuchView(shortened(missing))}</bdi>
        </p>
      )}
      {isOpened && <p>{link.opened}</p>}
      {ignored.length > 0 && (
        <p>
          <bdi>{link.ignored(shortened(ignored.join(", ")))}</bdi>
        </p>
      )}
      {inputs.model_url && <WantedModel session={session} form={form} typed={inputs.model_url} />}
      <button
        type="button"
        class="quiet"
        onClick={() => {
          setRead(null);
          showMissing(false);
        }}
      >
        {link.dismiss}
      </button>
    </div>
  );
}

/** The model that the link names; its header is read for whoever asks for it. */
function WantedModel({ session, form, typed }: LinkNoteProps & { typed: string }) {
  const { link } = messages.value;
  const url = modelUrlFrom(typed, location.href);
  if (url === null) return <p>{link.modelRefused}</p>;
  const choose = () => {
    void session.choices.choose({ kind: "url", url }, form.formats.value);
    show("models");
  };
  return (
    <p>
      <bdi>{link.wantsModel(shortened(url))}</bdi>{" "}
      <button type="button" class="quiet" disabled={session.isBusy.value} onClick={choose}>
        {link.readModel}
      </button>
    </p>
  );
}
