// The stretches of the warm run's cache as a file of its own: one bar each, as long as it has positions, hatched where it was reused (one way
// for each size of the step that wrote it), and its words. White in both themes.
import { hatchOf, N_HATCHES, type Stretch } from "./cache-stretches";
import { escaped, framed } from "./figure-title";

const ROW = 26;
const WIDTH = 420;
const WORDS_WIDTH = 460;
const EDGE = 12;
const HATCHES = Array.from(
  { length: N_HATCHES },
  (_, hatch) =>
    `<pattern id="reused-${hatch}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(${45 - 45 * hatch})">` +
    '<path d="M0 0H3V7H0Z" fill="#b84a00"/></pattern>',
).join("");
const COLOURS = { computed: "#0b5cad", ink: "#16181d", plate: "#ffffff" };

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
    const fill = reused ? `url(#reused-${hatchOf(stretch, stretches)})` : COLOURS.computed;
    const isSeam = !reused && stretches[row - 1]?.reused;
    const seam = isSeam
      ? `<path d="M${x} ${EDGE}V${height - EDGE}" stroke="${COLOURS.ink}" stroke-dasharray="4 3"/>`
      : "";
    return (
      `<rect x="${x}" y="${y + 4}" width="${length}" height="${ROW - 10}" fill="${fill}" stroke="${COLOURS.ink}"/>${seam}` +
      `<text x="${WIDTH + 2 * EDGE}" y="${y + 17}">${escaped(wordsOf(stretch))}</text>`
    );
  });
  const { plate, ink } = COLOURS;
  return framed(
    { title, width, height, plate, ink },
    `<g font-family="sans-serif" font-size="13" fill="${ink}">${HATCHES}${rows.join("")}</g>`,
  );
}
