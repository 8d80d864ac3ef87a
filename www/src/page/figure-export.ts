// A figure as a file of its own: SVG as it is drawn on the page, PNG at twice its size.

/** What of the page's style a figure needs to look the same without the page. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

const PNG_SCALE = 2;

const SVG = "http://www.w3.org/2000/svg";

/** Drawings as one, each under the one before, with their styles written into them, on a plate of the page's colour. */
export function svgText(...drawings: readonly SVGSVGElement[]): string {
  const whole = document.createElementNS(SVG, "svg");
  const plate = document.createElementNS(SVG, "rect");
  plate.setAttribute("width", "100%");
  plate.setAttribute("height", "100%");
  plate.setAttribute("fill", getComputedStyle(document.documentElement).backgroundColor);
  whole.append(plate);
  let width = 0;
  let height = 0;
  for (const drawing of drawings) {
    const size = drawing.getBoundingClientRect();
    const copy = withStyles(drawing);
    copy.setAttribute("y", String(height));
    copy.setAttribute("width", String(size.width));
    copy.setAttribute("height", String(size.height));
    whole.append(copy);
    width = Math.max(width, size.width);
    height += size.height;
  }
  whole.setAttribute("width", String(width));
  whole.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(whole);
}

function withStyles(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const target = copies[index];
    for (const name of STYLES) target?.setAttribute(name, style.getPropertyValue(name));
    target?.removeAttribute("class");
  });
  return copy;
}

export function saveSvg(name: string, svg: string): void {
  save(`${name}.svg`, new Blob([svg], { type: "image/svg+xml" }));
}

export async function savePng(name: string, svg: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = PNG_SCALE * image.naturalWidth;
  canvas.height = PNG_SCALE * image.naturalHeight;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (png) save(`${name}.png`, png);
}

function save(fileName: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  // The browser reads the content after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
