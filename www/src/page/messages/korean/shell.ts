// What is around the views, in Korean.
import type { Messages } from "../../language";

export const shell: Messages["shell"] = {
  title: "lastbit: 같은 프롬프트, 콜드와 웜",
  theme: "색상",
  themes: { system: "시스템", light: "밝게", dark: "어둡게" },
  language: "언어",
};
