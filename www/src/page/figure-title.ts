// The frame of a saved figure: a title that says what it shows, of which model and on which device, above the drawing, since the file
// leaves the page that said so. Pure, but for the language.
import type { Comparison } from "../shared/engine-records";
import type { Processor } from "../shared/protocol";
import { messages } from "./language";
import type { DoneComparison } from "./session-state";
import { fitted, textWidth } from "./text-width";

const SIZE = 13;
const LINE = 18;
export const EDGE = 10;
/** A narrower drawing gets a file of this width, so that its title has few lines. */
const ROOMY = 420;

export interface Frame {
  title: string;
  /** Of the drawing, in pixels. */
  width: number;
  height: number;
  /** Colours. */
  plate: string;
  ink: string;
}

/** A file's text: the title, for readers and for the eye, and the drawing below it. `content` is SVG. */
export function framed({ title, width, height, plate, ink }: Frame, content: string): string {
  const whole = Math.max(width + 2 * EDGE, Math.min(ROOMY, Math.ceil(textWidth(title, SIZE)) + 2 * EDGE));
  const lines = linesOf(title, whole - 2 * EDGE);
  const head = lines.length * LINE + EDGE;
  const high = head + height + EDGE;
  const size = `width="${whole}" height="${high}"`;
  const spans = lines.map(
    (line, row) => `<tspan x="${EDGE}" y="${(row + 1) * LINE}">${escaped(line)}</tspan>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${whole} ${high}">` +
    `<title>${escaped(title)}</title><rect ${size} fill="${plate}"/>` +
    `<text font-family="sans-serif" font-size="${SIZE}" fill="${ink}">${spans.join("")}</text>` +
    `<g transform="translate(${EDGE} ${head})">${content}</g></svg>`
  );
}

/** A title in lines of at most so many pixels. */
function linesOf(title: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of title.split(" ")) {
    const line = [...lines.slice(-1), word].join(" ");
    if (lines.length > 0 && textWidth(line, SIZE) <= most) lines[lines.length - 1] = line;
    else lines.push(fitted(word, SIZE, most));
  }
  return lines;
}

/** A text inside XML, which has no place for control characters. */
export function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (letter) => entities[letter] ?? "").replace(/\p{Cc}/gu, "\ufffd");
}

/** What a figure shows, and where its numbers are from. */
export function titled(what: string, source: string): string {
  if (source === "") return what;
  return what.endsWith(".") ? `${what} ${source}` : `${what} · ${source}`;
}

/** Model, device, formats and order of a comparison that was run here. */
export function sourceOf({ model_title, ran_on, comparison }: DoneComparison): string {
  return sourceWords(model_title, processorWords(ran_on), comparison);
}

export function sourceWords(model: string, device: string, { formats, order }: Comparison): string {
  const { bar, numerics, verdict } = messages.value;
  return [model, device, verdict.numerics(numerics.formatNames[formats], bar.orders[order])].join(" · ");
}

function processorWords(processor: Processor): string {
  return processor.kind === "gpu" ? processor.device.name : messages.value.bar.cpuTwin;
}
