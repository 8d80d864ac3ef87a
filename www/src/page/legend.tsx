// Stands where the answers will be, before the first run: how they will be drawn. Bars, not words, so that
// nobody takes it for a result.
import { messages } from "./language";

export function Legend() {
  return (
    <figure class="legend">
      <div aria-hidden="true">
        <Bars class="legend-trunk" widths={[9, 6, 12, 7, 10, 8, 13, 6, 11, 7, 9, 12]} />
        <div class="legend-arms">
          <Bars class="legend-cold" widths={[8, 12, 6, 10, 13, 7]} />
          <Bars class="legend-warm" widths={[11, 7, 13, 9, 6, 10]} />
        </div>
      </div>
      <figcaption>{messages.value.result.legend}</figcaption>
    </figure>
  );
}

function Bars({ widths, class: name }: { widths: readonly number[]; class: string }) {
  return (
    <svg
      class={name}
      viewBox={`0 0 ${widths.reduce((sum, width) => sum + width + 3, 0)} 5`}
      aria-hidden="true"
    >
      {widths.map((width, index) => {
        const x = widths.slice(0, index).reduce((sum, earlier) => sum + earlier + 3, 0);
        return <rect key={x} x={x} width={width} height="5" rx="1.5" />;
      })}
    </svg>
  );
}
