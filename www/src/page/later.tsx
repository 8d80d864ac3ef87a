// A view whose code is fetched when it is first looked at.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messages } from "./language";

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return function Later(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(null);
    useEffect(() => {
      const missing = () => setView(() => PartMissing);
      void load().then((loaded) => setView(() => loaded), missing);
    }, []);
    return View === null ? null : <View {...props} />;
  };
}

function PartMissing() {
  return <p class="note-box">{messages.value.models.partMissing}</p>;
}
