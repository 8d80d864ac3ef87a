// Light, dark, or as the system says.
import { effect } from "@preact/signals";
import { preference } from "./preference";

export const THEMES = ["system", "light", "dark"] as const;
export const theme = preference("theme", THEMES, "system");

export function followTheme(): void {
  effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}
