// The warm run's prompt as its cache holds it: stretches by who wrote them and whether they were reused, and the blocks in each. A tree for the
// keyboard: up and down move, right opens, left closes or goes to the stretch.
import { useRef, useState } from "preact/hooks";
import { blocksOf, hatchOf, type PositionRange, type Stretch, stretchesOf } from "./cache-stretches";
import { cacheSvg } from "./cache-svg";
import { ExportButtons } from "./export-buttons";
import { titled } from "./figure-title";
import { whyWords } from "./why-words";

interface CacheTreeProps {
  warmSteps: readonly PositionRange[];
  reused: number;
  /** Positions of one cache block. */
  blockTokens: number;
  /** Model, device and numerics, for the saved figure. */
  source: string;
  /** The token at a position, so that it can be seen. */
  tokenAt: (position: number) => string;
}

export function CacheTree({ warmSteps, reused, blockTokens, source, tokenAt }: CacheTreeProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [focused, setFocused] = useState("0");
  const tree = useRef<HTMLDivElement>(null);
  const { cache } = whyWords.value;
  const stretches = stretchesOf(warmSteps, reused);
  const end = stretches.at(-1)?.end ?? 0;
  const toggle = (index: number, isOpen: boolean) => {
    const next = new Set(opened);
    if (isOpen) next.add(index);
    else next.delete(index);
    setOpened(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Where a block has taken the key, the stretch around it does not take it again.
    if (event.defaultPrevented) return;
    const items = [...(tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const at = items.findIndex((item) => item.dataset.key === focused);
    const [stretch = 0, block] = focused.split(".").map(Number);
    const goTo = (item: HTMLElement | undefined) => {
      if (!item) return;
      setFocused(item.dataset.key ?? "0");
      item.focus();
    };
    const actions: Record<string, () => void> = {
      ArrowDown: () => goTo(items[at + 1]),
      ArrowUp: () => goTo(items[at - 1]),
      Home: () => goTo(items[0]),
      End: () => goTo(items.at(-1)),
      ArrowRight: () => (opened.has(stretch) ? goTo(items[at + 1]) : toggle(stretch, true)),
      ArrowLeft: () => {
        if (block === undefined) toggle(stretch, false);
        else goTo(items.find((item) => item.dataset.key === String(stretch)));
      },
      Enter: () => toggle(stretch, !opened.has(stretch)),
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <figure class="cache-map">
      <figcaption>
        <strong>{cache.heading}</strong> {cache.explained}
      </figcaption>
      <div ref={tree} role="tree" aria-label={cache.label(reused, end)}>
        {stretches.map((stretch, index) => (
          <div
            key={stretch.start}
            role="treeitem"
            aria-expanded={opened.has(index)}
            aria-selected={focused === String(index)}
            data-key={index}
            data-reused={stretch.reused}
            data-hatch={hatchOf(stretch, stretches)}
            data-positions={stretch.end - stretch.start}
            tabIndex={focused === String(index) ? 0 : -1}
            onFocus={(event) => event.target === event.currentTarget && setFocused(String(index))}
            onKeyDown={onKeyDown}
            onClick={() => toggle(index, !opened.has(index))}
          >
            {!stretch.reused && stretches[index - 1]?.reused && <span class="seam">{cache.seam}</span>}
            <span class="cache-bar" aria-hidden="true" />
            {cache.positions(stretch.start, stretch.end - 1)}:{" "}
            <strong>{stretch.reused ? cache.reused : cache.computed}</strong>,{" "}
            {stretch.reused ? cache.hadBeenWritten(stretch.chunk_rows) : cache.written(stretch.chunk_rows)}
            {opened.has(index) && (
              // biome-ignore lint/a11y/useSemanticElements: a group of a tree is no fieldset.
              <div role="group">
                {blocksOf(stretch, blockTokens).map((block, number) => (
                  <Block
                    key={block.start}
                    name={`${index}.${number}`}
                    focused={focused}
                    onFocus={setFocused}
                    onKeyDown={onKeyDown}
                    words={cache.block(Math.floor(block.start / blockTokens), block.start, block.end - 1)}
                    tokens={Array.from({ length: block.end - block.start }, (_, i) =>
                      tokenAt(block.start + i),
                    )}
                  />
                ))}
              </div>
            )}
          </div>
        ))}
      </div>
      <ExportButtons
        name="lastbit-cache"
        title={titled(cache.label(reused, end), source)}
        svg={(title) => cacheSvg(title, stretches, stretchWords)}
      />
    </figure>
  );
}

/** What is known of a stretch. */
function stretchWords({ start, end, reused, chunk_rows }: Stretch): string {
  const { cache } = whyWords.value;
  const written = reused ? cache.hadBeenWritten(chunk_rows) : cache.written(chunk_rows);
  return `${cache.positions(start, end - 1)}: ${reused ? cache.reused : cache.computed}, ${written}`;
}

interface BlockProps {
  name: string;
  focused: string;
  onFocus: (name: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  words: string;
  tokens: readonly string[];
}

function Block({ name, focused, onFocus, onKeyDown, words, tokens }: BlockProps) {
  return (
    <div
      role="treeitem"
      aria-selected={focused === name}
      data-key={name}
      tabIndex={focused === name ? 0 : -1}
      onFocus={() => onFocus(name)}
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
    >
      {words} <code>{tokens.join("|")}</code>
    </div>
  );
}
