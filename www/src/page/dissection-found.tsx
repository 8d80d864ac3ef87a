// What a dissection found: the first different bit and who wrote it, how close every call was, where the caches differ.
import type { Comparison, Dissection, Origin, Tap, TapTensor } from "../shared/engine-records";
import { CacheTree } from "./cache-tree";
import { toldOf } from "./failures";
import { count, quotedToken, visibleToken } from "./format";
import { HeatMap } from "./heat-map";
import { messages } from "./language";
import { MarginPath } from "./margin-path";
import { Scrolling } from "./scrolling";
import { runOf } from "./verdict";
import { whyWords } from "./why-words";

/** Columns of the heat map that show that nothing compares behind the fork. */
const MOST_BEHIND = 12;

interface DissectionFoundProps {
  dissection: Dissection;
  /** The comparison that was taken apart. */
  comparison: Comparison;
  /** Model, device and numerics, for the saved figures. */
  source: string;
  /** How both runs are kept on the same tokens behind the fork; null where nothing can be run. */
  goBeyond: { isDisabled: boolean; onBegin: () => void } | null;
  /** Tells those who do not see a figure's cursor where it is. */
  onTell: (words: string) => void;
}

export function DissectionFound({ dissection, comparison, source, goBeyond, onTell }: DissectionFoundProps) {
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
      {steps.length > 0 && <MarginPath dissection={dissection} pair={pair} source={source} />}
      {dissection.warm_steps.length > 0 && (
        <CacheTree
          warmSteps={dissection.warm_steps}
          reused={reused_tokens}
          blockTokens={dissection.block_tokens}
          source={source}
          tokenAt={(position) => visibleToken(textAt(position))}
        />
      )}
      {kv_map && (
        <HeatMap
          maps={kv_map}
          source={source}
          tokenAt={(position) => quotedToken(textAt(position))}
          reused={reused_tokens}
          n_behind={n_behind}
          fork={fork && dissection.prompt_ids.length + fork.index}
          onTell={onTell}
        />
      )}
      {n_behind > 0 && (
        <div class="why-offer">
          <p>
            {why.hatched} {goBeyond && why.canGoBeyond}
          </p>
          {goBeyond && (
            <button type="button" disabled={goBeyond.isDisabled} onClick={goBeyond.onBegin}>
              {why.goBeyond}
            </button>
          )}
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
