// The bits of a result, with those marked that another order of addition changed.
import { useDrawingWidth } from "../drawing";
import { ExportButtons } from "../export-buttons";
import { svgText } from "../figure-export";
import { titled } from "../figure-title";

const CELL = { width: 20, height: 24 };
const GAP = 2;

interface LastBitsProps {
  bits: number;
  /** The highest bit first. */
  changed: readonly boolean[];
  label: string;
  /** Whose numbers they are and what computed them, for the saved figure. */
  source: string;
}

export function LastBits({ bits, changed, label, source }: LastBitsProps) {
  const [drawing, width] = useDrawingWidth();
  const pitch = CELL.width + GAP;
  const n_columns = Math.max(1, Math.floor((width + GAP) / pitch));
  const n_rows = Math.ceil(changed.length / n_columns);
  return (
    <>
      <svg
        ref={drawing}
        class="drawing bit-drawing numbers"
        viewBox={`0 0 ${width} ${n_rows * (CELL.height + GAP)}`}
        role="img"
        aria-label={label}
      >
        {changed.map((isChanged, index) => {
          const [x, y] = [(index % n_columns) * pitch, Math.floor(index / n_columns) * (CELL.height + GAP)];
          return (
            <g key={`bit ${changed.length - index}`} class="cell" data-changed={isChanged}>
              <rect x={x + 1} y={y + 1} width={CELL.width - 2} height={CELL.height - 2} />
              <text x={x + CELL.width / 2} y={y + 17} text-anchor="middle">
                {(bits >>> (changed.length - 1 - index)) & 1}
              </text>
            </g>
          );
        })}
      </svg>
      <ExportButtons
        name="lastbit-bits"
        title={titled(label, source)}
        svg={(title) => drawing.current && svgText(title, [drawing.current])}
      />
    </>
  );
}
