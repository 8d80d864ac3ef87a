// The heat map's plate, drawn twice: on a canvas for the page, as SVG for a file. White in both themes.

export const CELL = 12;

/** Colours from the least difference to the largest; the plate is white in both themes. */
export const RAMP: readonly string[] = ["#35a06a", "#1f8a82", "#2b6f8c", "#36558b", "#41307a", "#2c0848"];
const WHITE = "#ffffff";
const INK = "#16181d";
const DOT = "#565c68";

export interface Plate {
  /** Place of each cell's colour in the ramp; null for equal bits, whose cell is a dot. // [layer][position] */
  levels: readonly (readonly (number | null)[])[];
  /** Columns behind the fork, where the runs read other tokens and nothing compares. */
  n_behind: number;
}

export interface Cell {
  layer: number;
  position: number;
}

export function plateWidth({ levels, n_behind }: Plate): number {
  return ((levels[0]?.length ?? 0) + n_behind) * CELL;
}

export function plateHeight({ levels }: Plate): number {
  return levels.length * CELL;
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
  const [width, height] = [plateWidth(plate), plateHeight(plate)];
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
  context.strokeRect(cursor.position * CELL, cursor.layer * CELL, CELL - 1, CELL - 1);
}

/** The plate as a file of its own, without the cursor. */
export function plateSvg(plate: Plate): string {
  const [width, height] = [plateWidth(plate), plateHeight(plate)];
  const cells = rectangles(plate).map(
    ({ x, y, size, colour }) => `<rect x="${x}" y="${y}" width="${size}" height="${size}" fill="${colour}"/>`,
  );
  const lines = hatches(plate).map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<rect width="${width}" height="${height}" fill="${WHITE}"/>${cells.join("")}` +
    `<path d="${lines.join("")}" stroke="${DOT}" fill="none"/></svg>`
  );
}
