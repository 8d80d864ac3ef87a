import type { Messages } from "../../language";

export const figures: Messages["figures"] = {
  save_svg: "SVG로 저장",
  save_png: "PNG로 저장",
};
