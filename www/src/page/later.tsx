// A view whose code is fetched when it is first looked at.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messages } from "./language";
import { siteAnswers, takeNewVersion } from "./offline";

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return function Later(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(null);
    useEffect(() => {
      const missing = async () => {
        const Missing = (await siteAnswers()) ? PartReplaced : PartMissing;
        setView(() => Missing);
      };
      void load().then((loaded) => setView(() => loaded), missing);
    }, []);
    return View === null ? null : <View {...props} />;
  };
}

function PartMissing() {
  return <p class="note-box">{messages.value.models.partMissing}</p>;
}

function PartReplaced() {
  const { models } = messages.value;
  return (
    <div class="note-box">
      <p>{models.partReplaced}</p>
      <button type="button" class="quiet" onClick={() => void takeNewVersion()}>
        {models.reload}
      </button>
    </div>
  );
}
