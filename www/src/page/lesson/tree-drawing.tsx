// A tree of sums: what it came to above a line, and below the line what it was added of.
import type { Tree } from "../../shared/engine-records";
import { ems } from "../drawing";
import { textWidth } from "../text-width";
import { isLeaf } from "./forest";

const SIZE = 16;
/** A number that stands alone. */
const ALONE_SIZE = 19;
const LINE_HEIGHT = 24;
const BASELINE = 17;
const GAP = 8;

interface TreeLayout {
  width: number;
  height: number;
  texts: readonly { x: number; y: number; text: string; isTotal: boolean }[];
  /** Over the parts of a sum. */
  lines: readonly { x: number; y: number; width: number }[];
}

/** Where everything of a tree stands, from its corner. Pure. */
export function layoutOf(tree: Tree, words: (tree: Tree) => string): TreeLayout {
  const text = words(tree);
  const own = textWidth(text, SIZE);
  if (isLeaf(tree)) {
    const texts = [{ x: own / 2, y: BASELINE, text, isTotal: false }];
    return { width: own, height: LINE_HEIGHT, texts, lines: [] };
  }
  const parts = tree.map((part) => layoutOf(part, words));
  const together = parts.reduce((sum, part) => sum + part.width, GAP);
  const width = Math.max(together, own);
  const top = LINE_HEIGHT + GAP;
  const texts = [{ x: width / 2, y: BASELINE, text, isTotal: true }];
  const lines = [{ x: 0, y: LINE_HEIGHT + 2, width }];
  let left = (width - together) / 2;
  for (const part of parts) {
    texts.push(...part.texts.map((each) => ({ ...each, x: each.x + left, y: each.y + top })));
    lines.push(...part.lines.map((each) => ({ ...each, x: each.x + left, y: each.y + top })));
    left += part.width + GAP;
  }
  return { width, height: top + Math.max(...parts.map(({ height }) => height)), texts, lines };
}

interface TreeDrawingProps {
  tree: Tree;
  /** The number of a leaf, or what a sum came to. */
  words: (tree: Tree) => string;
}

export function TreeDrawing({ tree, words }: TreeDrawingProps) {
  const { width, height, texts, lines } = layoutOf(tree, words);
  const scale = isLeaf(tree) ? ALONE_SIZE / SIZE : 1;
  return (
    <svg
      class="tree-drawing numbers"
      viewBox={`0 0 ${width} ${height}`}
      width={ems(scale * width)}
      height={ems(scale * height)}
      aria-hidden="true"
    >
      {texts.map(({ x, y, text, isTotal }) => (
        <text key={`${x} ${y}`} class={isTotal ? "forest-total" : "forest-leaf"} x={x} y={y}>
          {text}
        </text>
      ))}
      {lines.map(({ x, y, width: length }) => (
        <path key={`${x} ${y}`} d={`M${x} ${y}H${x + length}`} />
      ))}
    </svg>
  );
}
