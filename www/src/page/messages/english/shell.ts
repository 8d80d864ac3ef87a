// What is around the views: title, switches, status bar.
export const shell = {
  title: "lastbit: one prompt, cold and warm",
  theme: "Colours",
  themes: { system: "System", light: "Light", dark: "Dark" },
  language: "Language",
};
