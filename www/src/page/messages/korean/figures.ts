// What all figures have, in Korean.
import type { Messages } from "../../language";

export const figures: Messages["figures"] = {
  saveSvg: "SVG로 저장",
  savePng: "PNG로 저장",
};
