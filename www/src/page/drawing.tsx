// What the drawings in SVG share: how wide their place is, about how wide a text is in them, and the hatch.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** A drawing's own units in the size of the text around it, so that it grows with that text. */
const UNITS_AN_EM = 16;
const UNMEASURED = 640;
/** What is drawn has room in so many; a narrower place makes it smaller. */
const NARROWEST = 320;

/** A drawing as wide as its place, and that width in its own units. */
export function useDrawingWidth(): [drawing: RefObject<SVGSVGElement | null>, width: number] {
  const drawing = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(UNMEASURED);
  useLayoutEffect(() => {
    const place = drawing.current;
    if (place === null) return;
    const look = () => {
      const pixels = place.getBoundingClientRect().width;
      const em = Number.parseFloat(getComputedStyle(place.parentElement ?? place).fontSize);
      // What is hidden has no width.
      if (pixels > 0) setWidth(Math.max(Math.round((pixels * UNITS_AN_EM) / em), NARROWEST));
    };
    const observer = new ResizeObserver(look);
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return [drawing, width];
}

const WIDE = /[¼-¾\u1100-\uffdc]/;

/** About the width of a text, in units: Korean letters and fractions are square, others narrower. Pure. */
export function textWidth(text: string, size: number): number {
  return [...text].reduce((width, letter) => width + size * (WIDE.test(letter) ? 1 : 0.62), 0);
}

/** A text, cut where it would be wider than its place. Pure. */
export function fitted(text: string, size: number, most: number): string {
  const letters = [...text];
  if (textWidth(text, size) <= most) return text;
  while (letters.length > 0 && textWidth(`${letters.join("")}…`, size) > most) letters.pop();
  return `${letters.join("")}…`;
}

/** A length as an attribute of a drawing's own size. */
export function ems(units: number): string {
  return `${units / UNITS_AN_EM}em`;
}

/** The pattern that marks how far something moved; what is filled with it is `url(#id)`. */
export function Hatch({ id }: { id: string }) {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse">
      <path class="hatch" d="M-1 1 1 -1M0 6 6 0M5 7 7 5" />
    </pattern>
  );
}
