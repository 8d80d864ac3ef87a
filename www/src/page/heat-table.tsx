// The heat map's numbers as a table.
import { useState } from "preact/hooks";
import type { HeatMetric } from "./heat-metric";
import { Scrolling } from "./scrolling";
import { whyWords } from "./why-words";

interface HeatTableProps {
  name: string;
  metric: HeatMetric;
  /** Of distances. */
  unit: string;
  // [layer][position]
  values: readonly (readonly number[])[];
  levels: readonly (readonly (number | null)[])[];
}

export function HeatTable({ name, metric, unit, values, levels }: HeatTableProps) {
  const { heat, layer: layerWord } = whyWords.value;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{heat.asTable(name, metric === "steps" ? unit : heat.metrics[metric])}</summary>
      {isOpen && (
        <Scrolling name={name}>
          <table class="heat-table">
            <thead>
              <tr>
                <th scope="col">{layerWord}</th>
                {values[0]?.map((_, position) => (
                  <th scope="col" key={position}>
                    {position}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {values.map((row, layer) => (
                <tr key={layer}>
                  <th scope="row">{layer}</th>
                  {row.map((value, position) => (
                    <td key={position}>
                      {levels[layer]?.[position] === null ? "=" : heat.number(metric, value, "")}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
    </details>
  );
}
