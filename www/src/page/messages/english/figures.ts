// What all figures have.
export const figures = {
  save_svg: "Save as SVG",
  save_png: "Save as PNG",
};
