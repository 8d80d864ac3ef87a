// The table twin of the streams: every step of both runs, and the kernels that ran.
import type { Run, Step } from "../shared/engine-records";
import { margin, visibleToken } from "./format";
import { format } from "./messages/english/format";
import { RUNS, STOPS } from "./run-strip";

interface StepsTableProps {
  cold: readonly Step[];
  warm: readonly Step[];
  fork: number | null;
}

export function StepsTable({ cold, warm, fork }: StepsTableProps) {
  const length = Math.max(cold.length, warm.length);
  return (
    <div class="scroll">
      <table class="steps">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Cold</th>
            <th scope="col">Warm</th>
            <th scope="col">Margin, cold</th>
            <th scope="col">Margin, warm</th>
            <th scope="col">All logits</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length }, (_, index) => (
            <StepRow key={index} index={index} cold={cold[index]} warm={warm[index]} fork={fork} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface StepRowProps {
  index: number;
  cold: Step | undefined;
  warm: Step | undefined;
  fork: number | null;
}

function StepRow({ index, cold, warm, fork }: StepRowProps) {
  return (
    <tr data-fork={index === fork}>
      <th scope="row">{index === fork ? `⟨${index + 1}⟩ fork` : index + 1}</th>
      <td>{cold ? <code>{visibleToken(cold.text)}</code> : "–"}</td>
      <td>{warm ? <code>{visibleToken(warm.text)}</code> : "–"}</td>
      <td class="numbers">{cold ? margin(cold.margin) : "–"}</td>
      <td class="numbers">{warm ? margin(warm.margin) : "–"}</td>
      <td>{bitsWords(index, cold, warm, fork)}</td>
    </tr>
  );
}

function bitsWords(
  index: number,
  cold: Step | undefined,
  warm: Step | undefined,
  fork: number | null,
): string {
  if (!cold || !warm) return "–";
  if (fork !== null && index > fork) return "other inputs";
  return cold.logits_hash === warm.logits_hash ? "= same bits" : "≠ other bits";
}

export function RunsTable({ runs }: { runs: readonly Run[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Prompt</th>
            <th scope="col">Reused</th>
            <th scope="col">First token</th>
            <th scope="col">Tokens</th>
            <th scope="col">Per token</th>
            <th scope="col">Ended by</th>
            <th scope="col">Kernels that ran</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run}>
              <th scope="row">{RUNS[run.run].title}</th>
              <td class="numbers">{run.prompt_tokens}</td>
              <td class="numbers">{run.reused_tokens}</td>
              <td class="numbers">
                {run.time_to_first_token_ms === null ? "–" : format.duration(run.time_to_first_token_ms)}
              </td>
              <td class="numbers">{run.steps.length}</td>
              <td class="numbers">{perToken(run.steps)}</td>
              <td>{STOPS[run.stop]}</td>
              <td class="kernels">{run.kernels.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Median of the decode steps; the first step belongs to the prefill. */
function perToken(steps: readonly Step[]): string {
  const times = steps
    .slice(1)
    .map((step) => step.elapsed_ms)
    .sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  return median === undefined ? "–" : format.duration(median);
}
