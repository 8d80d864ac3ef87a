// A figure as a file of its own: SVG as it is drawn on the page, PNG at twice its size.
import { framed } from "./figure-title";

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

const GAP = 8;

/**
 * Drawings as one, under each other or in a row that stands on one line, with their styles written into them, on a plate of the page's
 * colour and below their title.
 */
export function svgText(title: string, drawings: readonly SVGSVGElement[], inARow = false): string {
  const sizes = drawings.map((drawing) => drawing.getBoundingClientRect());
  const [widths, heights] = [sizes.map(({ width }) => width), sizes.map(({ height }) => height)];
  const gaps = GAP * (drawings.length - 1);
  // A PNG has whole pixels.
  const width = Math.ceil(inARow ? sum(widths) + gaps : Math.max(...widths));
  const height = Math.ceil(inARow ? Math.max(...heights) : sum(heights) + gaps);
  let at = 0;
  const copies = drawings.map((drawing, index) => {
    const size = { width: widths[index] ?? 0, height: heights[index] ?? 0 };
    const copy = withStyles(drawing);
    setAll(copy, { ...size, x: inARow ? at : 0, y: inARow ? height - size.height : at });
    at += (inARow ? size.width : size.height) + GAP;
    return new XMLSerializer().serializeToString(copy);
  });
  const { backgroundColor: plate, color: ink } = getComputedStyle(document.documentElement);
  return framed({ title, width, height, plate, ink }, copies.join(""));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function setAll(element: Element, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

function withStyles(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const target = copies[index];
    if (!target) return;
    for (const name of STYLES) target.setAttribute(name, style.getPropertyValue(name));
    target.removeAttribute("class");
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
