// A button that copies the page's set-up as a link; where the browser forbids that, the link to copy by hand.
import { useEffect, useState } from "preact/hooks";
import type { Form } from "./form";
import { messages } from "./language";
import { linkTo } from "./link";
import type { Session } from "./session";
import { address } from "./views";

export function CopyLink({ session, form }: { session: Session; form: Form }) {
  const [byHand, setByHand] = useState<string | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const { link } = messages.value;
  const selection = session.selection.value;
  const { source } = selection;
  const inputs = form.linkInputs();
  // What was said is of a link to other inputs now.
  useEffect(() => {
    setByHand(null);
    setTold(null);
  }, [JSON.stringify(inputs), selection]);
  const copy = async () => {
    const model_url = source.kind === "url" ? source.url : null;
    const hash = await linkTo(address.value.view, { ...inputs, model_url });
    if (hash === null) return tell(link.tooLong);
    const url = new URL(hash, location.href).href;
    try {
      await navigator.clipboard.writeText(url);
      tell(source.kind === "files" ? `${link.copied} ${link.ownFileLeftOut}` : link.copied);
    } catch {
      setByHand(url);
      setTold(null);
      session.announce(link.copyByHand);
    }
  };
  /** Beside the button as well, which is far from the status line. */
  const tell = (words: string) => {
    setByHand(null);
    setTold(words);
    session.announce(words);
  };
  return (
    <>
      <button type="button" class="quiet" onClick={copy}>
        {link.copy}
      </button>
      {told !== null && <p class="note">{told}</p>}
      {byHand !== null && (
        <label class="field">
          <span class="label">{link.copyByHand}</span>
          <input readOnly value={byHand} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
    </>
  );
}
