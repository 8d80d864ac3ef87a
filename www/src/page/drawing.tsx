// What the drawings in SVG share: how wide their place is, and the hatch.
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
