// A view whose code is fetched when it is first looked at.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return function Later(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(null);
    useEffect(() => {
      void load().then((loaded) => setView(() => loaded));
    }, []);
    return View === null ? null : <View {...props} />;
  };
}
