// A row of numbers and sums, put into another order by dragging, by arrow keys or by buttons, and added to each other.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Tree } from "../../shared/engine-records";
import { ExportButtons } from "../export-buttons";
import { svgText } from "../figure-export";
import { titled } from "../figure-title";
import { type Forest, isLeaf, joined, keyOf, moved, split } from "./forest";
import { lessonWords } from "./lesson-words";
import { TreeDrawing } from "./tree-drawing";

interface ForestEditorProps {
  forest: Forest;
  onChange: (forest: Forest) => void;
  /** The number of a leaf. */
  leafWords: (leaf: number) => string;
  /** What a sum came to; null while it is being computed. */
  sumWords?: (sum: Tree) => string | null;
  /** Whether parts can be added to each other. */
  canJoin: boolean;
  /** Whose numbers they are and what computed the sums, for the saved figure. */
  source: string;
}

export function ForestEditor({ forest, onChange, leafWords, sumWords, canJoin, source }: ForestEditorProps) {
  const words = lessonWords.value.forest;
  const [picked, setPicked] = useState<string | null>(null);
  const at = forest.findIndex((part) => keyOf(part) === picked);
  const part = forest[at];
  const row = useRef<HTMLOListElement>(null);
  const drag = useDrag(forest, onChange);
  const wordsOf = (tree: Tree): string => (isLeaf(tree) ? leafWords(tree) : (sumWords?.(tree) ?? "…"));
  const name = (tree: Tree): string =>
    isLeaf(tree)
      ? leafWords(tree)
      : `(${name(tree[0])} + ${name(tree[1])})${sumWords ? ` = ${sumWords(tree) ?? "…"}` : ""}`;
  const change = (next: Forest, to: number) => {
    const then = next[to];
    onChange(next);
    if (then !== undefined) setPicked(keyOf(then));
  };
  return (
    <div class="forest">
      <ol ref={row} class="forest-row" aria-label={words.label}>
        {forest.map((tree, place) => (
          <li key={keyOf(tree)} data-place={place}>
            <button
              type="button"
              class="forest-part"
              aria-pressed={place === at}
              data-heir={place === at ? "" : undefined}
              onClick={() => setPicked(keyOf(tree))}
              onPointerDown={(event) => {
                setPicked(keyOf(tree));
                drag(event, place);
              }}
              onKeyDown={(event) => {
                const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
                if (step === undefined) return;
                event.preventDefault();
                change(
                  moved(forest, place, place + step),
                  Math.min(Math.max(place + step, 0), forest.length - 1),
                );
              }}
            >
              <span class="visually-hidden">{name(tree)}</span>
              <TreeDrawing tree={tree} words={wordsOf} />
            </button>
          </li>
        ))}
      </ol>
      <p class="hint">{part === undefined ? words.hint : words.picked(name(part))}</p>
      <div class="buttons">
        <button type="button" disabled={at <= 0} onClick={() => change(moved(forest, at, at - 1), at - 1)}>
          {words.moveLeft}
        </button>
        <button
          type="button"
          disabled={at < 0 || at === forest.length - 1}
          onClick={() => change(moved(forest, at, at + 1), at + 1)}
        >
          {words.moveRight}
        </button>
        {canJoin && (
          <>
            <button
              type="button"
              disabled={at < 0 || at === forest.length - 1}
              onClick={() => change(joined(forest, at), at)}
            >
              {words.join}
            </button>
            <button
              type="button"
              disabled={part === undefined || isLeaf(part)}
              onClick={() => change(split(forest, at), at)}
            >
              {words.split}
            </button>
          </>
        )}
      </div>
      {canJoin && (
        <ExportButtons
          name="lastbit-tree"
          title={titled(words.label, source)}
          svg={(title) => svgText(title, drawingsIn(row.current), true)}
        />
      )}
    </div>
  );
}

function drawingsIn(row: HTMLElement | null): SVGSVGElement[] {
  return [...(row?.querySelectorAll<SVGSVGElement>(".tree-drawing") ?? [])];
}

/** Moves a part to wherever the pointer is, until it is let go. */
function useDrag(forest: Forest, onChange: (forest: Forest) => void) {
  const current = useRef({ forest, onChange });
  current.current = { forest, onChange };
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => () => stop.current?.(), []);
  return (event: PointerEvent, place: number) => {
    if (event.button !== 0) return;
    let from = place;
    const row = (event.currentTarget as HTMLElement).closest("ol");
    const controller = new AbortController();
    const { signal } = controller;
    stop.current = () => controller.abort();
    const move = ({ clientX, clientY }: PointerEvent) => {
      const under = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-place]");
      const to = Number(under?.dataset.place ?? Number.NaN);
      if (!under || under.closest("ol") !== row || Number.isNaN(to) || to === from) return;
      // Only behind the middle: parts of unequal width would otherwise change places to and fro.
      const { left, width } = under.getBoundingClientRect();
      if (to > from ? clientX < left + width / 2 : clientX > left + width / 2) return;
      current.current.onChange(moved(current.current.forest, from, to));
      from = to;
    };
    addEventListener("pointermove", move, { signal });
    for (const end of ["pointerup", "pointercancel"])
      addEventListener(end, () => controller.abort(), { signal });
  };
}
