// The stretches of the warm run's cache as a file of its own: one bar each, as long as it has positions, hatched where it was reused, and its
// words. White in both themes.
import type { Stretch } from "./cache-tree";
import { escaped, framed } from "./figure-title";

const ROW = 26;
const WIDTH = 420;
const WORDS_WIDTH = 460;
const EDGE = 12;
const HATCH =
  '<pattern id="reused" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<path d="M0 0H3V7H0Z" fill="#b84a00"/></pattern>';
const COLOURS = { reused: "url(#reused)", computed: "#0b5cad", ink: "#16181d", plate: "#ffffff" };

/** Where reuse ends a dashed line is the seam. Pure. */
export function cacheSvg(
  title: string,
  stretches: readonly Stretch[],
  wordsOf: (stretch: Stretch) => string,
): string {
  const end = Math.max(1, stretches.at(-1)?.end ?? 1);
  const [width, height] = [WIDTH + WORDS_WIDTH + 3 * EDGE, stretches.length * ROW + 2 * EDGE];
  const rows = stretches.map((stretch, row) => {
    const { start, end: until, reused } = stretch;
    const y = EDGE + row * ROW;
    const [x, length] = [EDGE + (WIDTH * start) / end, (WIDTH * (until - start)) / end];
    const isSeam = !reused && stretches[row - 1]?.reused;
    const seam = isSeam
      ? `<path d="M${x} ${EDGE}V${height - EDGE}" stroke="${COLOURS.ink}" stroke-dasharray="4 3"/>`
      : "";
    return (
      `<rect x="${x}" y="${y + 4}" width="${length}" height="${ROW - 10}" fill="${reused ? COLOURS.reused : COLOURS.computed}" stroke="${COLOURS.ink}"/>${seam}` +
      `<text x="${WIDTH + 2 * EDGE}" y="${y + 17}">${escaped(wordsOf(stretch))}</text>`
    );
  });
  const { plate, ink } = COLOURS;
  return framed(
    { title, width, height, plate, ink },
    `<g font-family="sans-serif" font-size="13" fill="${ink}">${HATCH}${rows.join("")}</g>`,
  );
}
