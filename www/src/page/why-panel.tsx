// Why the answers part: the first different bit and who wrote it, how close every call was, where the caches differ.
import type { Comparison, DissectEvent, Dissection, Origin, Tap, TapTensor } from "../shared/engine-records";
import { AblationPanel } from "./ablation-panel";
import { CacheTree } from "./cache-tree";
import { FailureNotice } from "./failure-notice";
import { type NextStep, toldOf } from "./failures";
import { count, quotedToken, visibleToken } from "./format";
import { HeatMap } from "./heat-map";
import { messages } from "./language";
import { MarginPath } from "./margin-path";
import { NoisePanel } from "./noise-panel";
import { Scrolling } from "./scrolling";
import type { Session } from "./session";
import { ShapesPanel } from "./shapes-panel";
import { StopButton } from "./stop-button";
import { TwinPanel } from "./twin-panel";
import { runOf } from "./verdict";
import { whyWords } from "./why-words";

interface WhyPanelProps {
  session: Session;
  comparison: Comparison;
  onNext: (step: NextStep) => void;
}

export function WhyPanel({ session, comparison, onNext }: WhyPanelProps) {
  const state = session.why.dissection.value;
  const why = whyWords.value;
  return (
    <section class="panel why" aria-label={why.heading}>
      <div class="inquiry">
        {state.kind === "none" && (
          <div class="why-offer">
            <p>{why.offer}</p>
            <button
              type="button"
              data-heir
              disabled={session.isBusy.value}
              onClick={() => session.why.takeApart()}
            >
              {why.begin}
            </button>
          </div>
        )}
        {state.kind === "running" && (
          <div class="why-offer">
            <p>{progressWords(state.event)}</p>
            <StopButton isStopping={state.is_stopping} onStop={() => session.stop()}>
              {state.is_stopping ? why.stopping : why.stop}
            </StopButton>
            <progress aria-label={why.progress} />
          </div>
        )}
        {state.kind === "failed" && <FailureNotice error={state.error} onNext={onNext} />}
        {state.kind === "done" && (
          <Found session={session} dissection={state.found} comparison={comparison} />
        )}
      </div>
      {comparison.order === "by-shape" && <AblationPanel session={session} onNext={onNext} />}
      <ShapesPanel session={session} order={comparison.order} onNext={onNext} />
      <NoisePanel session={session} onNext={onNext} />
      <TwinPanel session={session} onNext={onNext} />
    </section>
  );
}

function progressWords(event: DissectEvent | null): string {
  const why = whyWords.value;
  switch (event?.kind) {
    case undefined:
      return why.computing;
    case "compared":
      return why.compared(event.n_tokens);
    case "margins":
      return why.findingMargins;
    case "origin":
      return why.findingOrigin;
  }
}

/** Columns of the heat map that show that nothing compares behind the fork. */
const MOST_BEHIND = 12;

interface FoundProps {
  session: Session;
  dissection: Dissection;
  comparison: Comparison;
}

function Found({ session, dissection, comparison }: FoundProps) {
  const why = whyWords.value;
  const { fork, origin, kv_map, reused_tokens, steps, flip_risk } = dissection;
  const cold = runOf(comparison, "cold-a")?.steps ?? [];
  const textAt = (position: number) => {
    const n_prompt = dissection.prompt_ids.length;
    const token = position < n_prompt ? comparison.prompt[position] : cold[position - n_prompt];
    return token?.text ?? "";
  };
  const { length: n_compared } = dissection.decoded_ids;
  const n_behind = fork ? Math.min(Math.max(cold.length - n_compared - 1, 0), MOST_BEHIND) : 0;
  const tokens = comparison.fork && fork ? comparison.fork : null;
  const pair = tokens
    ? messages.value.result.over(quotedToken(tokens.cold.text), quotedToken(tokens.warm.text))
    : why.bestOverSecond;
  return (
    <>
      <p class="why-sentence" tabIndex={-1} data-heir>
        {sentenceOf(dissection)}
      </p>
      <p>
        {why.logitsDiffer(dissection.steps_with_different_logits, steps.length)}{" "}
        {flip_risk && riskWords(flip_risk, steps.length, fork?.index ?? null)}
      </p>
      {steps.length > 0 && <MarginPath dissection={dissection} pair={pair} />}
      {dissection.warm_steps.length > 0 && (
        <CacheTree
          warmSteps={dissection.warm_steps}
          reused={reused_tokens}
          blockTokens={dissection.block_tokens}
          tokenAt={(position) => visibleToken(textAt(position))}
        />
      )}
      {kv_map && (
        <HeatMap
          maps={kv_map}
          tokenAt={(position) => quotedToken(textAt(position))}
          reused={reused_tokens}
          n_behind={n_behind}
          fork={fork && dissection.prompt_ids.length + fork.index}
        />
      )}
      {n_behind > 0 && (
        <div class="why-offer">
          <p>{why.hatched}</p>
          <button type="button" disabled={session.isBusy.value} onClick={() => session.why.takeApart(true)}>
            {why.goBeyond}
          </button>
        </div>
      )}
      {fork && n_compared > fork.index && <p>{why.isBeyond(n_compared - fork.index)}</p>}
      {origin && <LayerTable origin={origin} />}
    </>
  );
}

function sentenceOf({ origin, sentence, was_cancelled, error }: Dissection): string {
  const why = whyWords.value;
  if (origin) return why.origin(origin);
  // The search ended, and found nothing.
  if (sentence !== null) return why.allEqual;
  if (was_cancelled) return why.stopped;
  return error ? why.brokenOff(toldOf(error).happened.text) : "";
}

function riskWords(
  { spread, per_step }: NonNullable<Dissection["flip_risk"]>,
  n_steps: number,
  fork: number | null,
): string {
  const expected = per_step.reduce((sum, risk) => sum + risk, 0);
  const at = fork === null ? undefined : per_step[fork];
  const why = whyWords.value;
  const flips = why.flips(spread.toPrecision(2), expected.toFixed(2), n_steps);
  return at === undefined ? flips : `${flips} ${why.flipAtFork((100 * at).toFixed(0))}`;
}

const TENSORS: readonly TapTensor[] = [
  "q",
  "k",
  "v",
  "attention-output",
  "residual-after-attention",
  "ffn-hidden",
  "residual-after-ffn",
];

function LayerTable({ origin }: { origin: Origin }) {
  const why = whyWords.value;
  const layers = [...new Set(origin.taps.map(({ layer }) => layer))].filter((layer) => layer !== null);
  const of = (layer: number | null, tensor: TapTensor) =>
    origin.taps.find((tap) => tap.layer === layer && tap.tensor === tensor);
  const isOrigin = (layer: number, tensor: TapTensor) => layer === origin.layer && tensor === origin.tensor;
  return (
    <details class="more">
      <summary>{why.everyTensor(origin.position)}</summary>
      <Scrolling name={why.everyTensor(origin.position)}>
        <table class="layer-table">
          <thead>
            <tr>
              <th scope="col">{why.layer}</th>
              {TENSORS.map((tensor) => (
                <th scope="col" key={tensor}>
                  {why.tensorColumns[tensor]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {layers.map((layer) => (
              <tr key={layer}>
                <th scope="row">{layer}</th>
                {TENSORS.map((tensor) => (
                  <td key={tensor} class="numbers" data-origin={isOrigin(layer, tensor)}>
                    {ulpWords(of(layer, tensor))}
                    {isOrigin(layer, tensor) && ` ${why.first}`}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </details>
  );
}

function ulpWords(tap: Tap | undefined): string {
  if (!tap?.difference) return "–";
  return tap.difference.n_differing === 0 ? "=" : count(tap.difference.largest_ulp);
}
