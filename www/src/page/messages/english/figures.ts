// What all figures have.
export const figures = {
  saveSvg: "Save as SVG",
  savePng: "Save as PNG",
};
