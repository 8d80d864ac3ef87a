// The heat map's plate, drawn twice: on a canvas for the page, as SVG for a file. White in both themes.

import { escaped, framed } from "./figure-title";
import { textWidth } from "./text-width";

export const CELL = 12;

/** Colours from the least difference to the largest; the plate is white in both themes. */
export const RAMP: readonly string[] = ["#35a06a", "#1f8a82", "#2b6f8c", "#36558b", "#41307a", "#2c0848"];
const WHITE = "#ffffff";
const INK = "#16181d";
const DOT = "#565c68";

/** Room around the cells for the axes. */
export const MARGIN = { left: 30, top: 16, bottom: 34 };
const FONT = 11;
/** Layers and positions are numbered in such steps. */
const LAYERS_A_NUMBER = 5;
const POSITIONS_A_NUMBER = 10;

export interface Plate {
  /** Place of each cell's colour in the ramp; null for equal bits, whose cell is a dot. // [layer][position] */
  levels: readonly (readonly (number | null)[])[];
  /** Columns behind the fork, where the runs read other tokens and nothing compares. */
  n_behind: number;
  /** The first position that the fork is behind; null without one. */
  fork: number | null;
  axes: { layer: string; position: string; fork: string };
}

export interface Cell {
  layer: number;
  position: number;
}

/** Cells alone. */
function cellsSize({ levels, n_behind }: Plate): [width: number, height: number] {
  return [((levels[0]?.length ?? 0) + n_behind) * CELL, levels.length * CELL];
}

export function plateWidth(plate: Plate): number {
  return MARGIN.left + cellsSize(plate)[0];
}

export function plateHeight(plate: Plate): number {
  return MARGIN.top + cellsSize(plate)[1] + MARGIN.bottom;
}

interface Label {
  text: string;
  x: number;
  y: number;
  anchor: "start" | "middle" | "end";
}

/** Numbers and names of the axes, and the fork's name, from the corner of the cells. */
function labels(plate: Plate): Label[] {
  const { levels, fork, axes } = plate;
  const height = cellsSize(plate)[1];
  const found: Label[] = [
    { text: axes.layer, x: -MARGIN.left, y: -5, anchor: "start" },
    { text: axes.position, x: 0, y: height + FONT + 18, anchor: "start" },
  ];
  for (let layer = 0; layer < levels.length; layer += LAYERS_A_NUMBER)
    found.push({ text: String(layer), x: -5, y: (layer + 1) * CELL - 2, anchor: "end" });
  for (let position = 0; position < (levels[0]?.length ?? 0); position += POSITIONS_A_NUMBER)
    found.push({ text: String(position), x: position * CELL, y: height + FONT + 3, anchor: "start" });
  if (fork !== null) found.push({ text: axes.fork, x: fork * CELL, y: -5, anchor: "middle" });
  return found;
}

interface Rectangle {
  x: number;
  y: number;
  size: number;
  colour: string;
}

function rectangles({ levels }: Plate): Rectangle[] {
  return levels.flatMap((row, layer) =>
    row.map((level, position) => {
      const [x, y] = [position * CELL, layer * CELL];
      const colour = level === null ? undefined : RAMP[level];
      if (colour) return { x, y, size: CELL - 1, colour };
      return { x: x + CELL / 2 - 1, y: y + CELL / 2 - 1, size: 2, colour: DOT };
    }),
  );
}

/** Ends of the lines that hatch what is behind the fork. */
function hatches(plate: Plate): [number, number, number, number][] {
  const from = (plate.levels[0]?.length ?? 0) * CELL;
  const [width, height] = cellsSize(plate);
  const lines: [number, number, number, number][] = [];
  for (let start = from - height; start < width; start += CELL) {
    const [left, right] = [Math.max(start, from), Math.min(start + height, width)];
    if (right > left) lines.push([left, height - (left - start), right, height - (right - start)]);
  }
  return plate.n_behind > 0 ? lines : [];
}

export function drawPlate(canvas: HTMLCanvasElement, plate: Plate, cursor: Cell): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = WHITE;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.save();
  context.translate(MARGIN.left, MARGIN.top);
  for (const { x, y, size, colour } of rectangles(plate)) {
    context.fillStyle = colour;
    context.fillRect(x, y, size, size);
  }
  context.strokeStyle = DOT;
  context.lineWidth = 1;
  context.beginPath();
  for (const [x1, y1, x2, y2] of hatches(plate)) {
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }
  context.stroke();
  context.lineWidth = 2;
  context.strokeStyle = INK;
  if (plate.fork !== null) {
    context.beginPath();
    context.moveTo(plate.fork * CELL - 0.5, 0);
    context.lineTo(plate.fork * CELL - 0.5, plate.levels.length * CELL);
    context.stroke();
  }
  context.fillStyle = INK;
  context.font = `${FONT}px sans-serif`;
  for (const { text, x, y, anchor } of labels(plate)) {
    context.textAlign = anchor === "middle" ? "center" : anchor;
    context.fillText(text, x, y);
  }
  context.strokeRect(cursor.position * CELL, cursor.layer * CELL, CELL - 1, CELL - 1);
  context.restore();
}

const KEY_LINE = 18;

/** What the marks of the cells mean, from left to right and, where there is no room, in further lines. */
function keyEntries(words: readonly string[], width: number): { x: number; line: number; text: string }[] {
  let [x, line] = [0, 0];
  return words.map((text) => {
    const needed = 16 + textWidth(text, FONT) + 14;
    if (x > 0 && x + needed > width) [x, line] = [0, line + 1];
    const entry = { x, line, text };
    x += needed;
    return entry;
  });
}

/** The plate as a file of its own, without the cursor; `keyWords` are those of equal cells and of each colour. */
export function plateSvg(title: string, plate: Plate, keyWords: readonly string[]): string {
  const entries = keyEntries(keyWords, plateWidth(plate));
  const n_key_lines = 1 + Math.max(...entries.map(({ line }) => line));
  const [width, cellsEnd] = [plateWidth(plate), plateHeight(plate)];
  const height = cellsEnd + KEY_LINE * n_key_lines;
  const key = entries.map(({ x, line, text }, index) => {
    const top = cellsEnd + KEY_LINE * line;
    const colour = RAMP[index - 1];
    const mark = colour
      ? `<path d="M${x} ${top}h11v11h-11z" fill="${colour}"/>`
      : `<path d="M${x + 5} ${top + 5}h2v2h-2z" fill="${DOT}"/>`;
    return `${mark}<text x="${x + 16}" y="${top + 10}">${escaped(text)}</text>`;
  });
  const cells = rectangles(plate).map(
    ({ x, y, size, colour }) => `<rect x="${x}" y="${y}" width="${size}" height="${size}" fill="${colour}"/>`,
  );
  const lines = hatches(plate).map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`);
  const fork =
    plate.fork === null
      ? ""
      : `<line x1="${plate.fork * CELL - 0.5}" x2="${plate.fork * CELL - 0.5}" y1="0" y2="${plate.levels.length * CELL}" stroke="${INK}" stroke-width="2"/>`;
  const texts = labels(plate).map(
    ({ text, x, y, anchor }) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`,
  );
  return framed(
    { title, width, height, plate: WHITE, ink: INK },
    `<g transform="translate(${MARGIN.left} ${MARGIN.top})" font-family="sans-serif" font-size="${FONT}" fill="${INK}">${cells.join("")}` +
      `<path d="${lines.join("")}" stroke="${DOT}" fill="none"/>${fork}${texts.join("")}</g>` +
      `<g font-family="sans-serif" font-size="${FONT}" fill="${INK}">${key.join("")}</g>`,
  );
}
