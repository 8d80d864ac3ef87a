// The table twin of the streams: every step of both runs, and the kernels that ran.
import type { Run, Step } from "../shared/engine-records";
import { margin, visibleToken } from "./format";
import { messages } from "./language";
import { Scrolling } from "./scrolling";

interface StepsTableProps {
  cold: readonly Step[];
  warm: readonly Step[];
  fork: number | null;
}

export function StepsTable({ cold, warm, fork }: StepsTableProps) {
  const length = Math.max(cold.length, warm.length);
  const { result } = messages.value;
  return (
    <Scrolling name={result.everyToken}>
      <table class="steps">
        <thead>
          <tr>
            <th scope="col">{result.token}</th>
            <th scope="col">{result.cold}</th>
            <th scope="col">{result.warm}</th>
            <th scope="col">{result.coldMargin}</th>
            <th scope="col">{result.warmMargin}</th>
            <th scope="col">{result.allLogits}</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length }, (_, index) => (
            <StepRow key={index} index={index} cold={cold[index]} warm={warm[index]} fork={fork} />
          ))}
        </tbody>
      </table>
    </Scrolling>
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
      <th scope="row">{index === fork ? messages.value.result.forkAt(index + 1) : index + 1}</th>
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
  const { result } = messages.value;
  if (!cold || !warm) return "–";
  if (fork !== null && index > fork) return result.otherInputs;
  return cold.logits_hash === warm.logits_hash ? result.sameBits : result.otherBits;
}

export function RunsTable({ runs }: { runs: readonly Run[] }) {
  const { format, result } = messages.value;
  return (
    <Scrolling name={result.allRuns}>
      <table>
        <thead>
          <tr>
            <th scope="col">{result.run}</th>
            <th scope="col">{result.prompt}</th>
            <th scope="col">{result.reusedTokens}</th>
            <th scope="col">{result.firstToken}</th>
            <th scope="col">{result.tokens}</th>
            <th scope="col">{result.perToken}</th>
            <th scope="col">{result.endedBy}</th>
            <th scope="col">{result.kernels}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run}>
              <th scope="row">{result.runs[run.run].title}</th>
              <td class="numbers">{run.prompt_tokens}</td>
              <td class="numbers">{run.reused_tokens}</td>
              <td class="numbers">
                {run.time_to_first_token_ms === null ? "–" : format.duration(run.time_to_first_token_ms)}
              </td>
              <td class="numbers">{run.steps.length}</td>
              <td class="numbers">{perToken(run.steps)}</td>
              <td>{result.stops[run.stop]}</td>
              <td class="kernels">{run.kernels.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

/** Median of the decode steps; the first step belongs to the prefill. */
function perToken(steps: readonly Step[]): string {
  const times = steps
    .slice(1)
    .map((step) => step.elapsed_ms)
    .sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  return median === undefined ? "–" : messages.value.format.duration(median);
}
