// The numbers of the figure of margins as a table: of every token, those of the runs and how likely a flip was.
import type { Dissection, Lead } from "../shared/engine-records";
import { count, margin, signed } from "./format";
import { Scrolling } from "./scrolling";
import { whyWords } from "./why-words";

interface LeadsTableProps {
  dissection: Dissection;
  leads: readonly (Lead & { index: number })[];
}

export function LeadsTable({ dissection: { steps, flip_risk }, leads }: LeadsTableProps) {
  const { margins } = whyWords.value;
  return (
    <details class="more">
      <summary>{margins.asTable}</summary>
      <Scrolling name={margins.asTable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{margins.token}</th>
              <th scope="col">{margins.coldLead}</th>
              <th scope="col">{margins.warmLead}</th>
              <th scope="col">{margins.drift}</th>
              <th scope="col">{margins.gap}</th>
              <th scope="col">{margins.largestChange}</th>
              <th scope="col">{margins.safe}</th>
              <th scope="col">{margins.risk}</th>
            </tr>
          </thead>
          <tbody>
            {leads.map(({ index, cold, warm, drift, two_epsilon }) => (
              <tr key={index}>
                <th scope="row">{count(index + 1)}</th>
                <td class="numbers">{signed(cold)}</td>
                <td class="numbers">{signed(warm)}</td>
                <td class="numbers">{margin(drift)}</td>
                <td class="numbers">{margin(steps[index]?.gap ?? 0)}</td>
                <td class="numbers">{margin(steps[index]?.largest_change ?? 0)}</td>
                <td class="numbers">{margin(two_epsilon)}</td>
                <td class="numbers">{percent(flip_risk?.per_step[index])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </details>
  );
}

function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${(100 * share).toFixed(1)} %`;
}
