// Step 4: the same numbers along other trees.

import { useRef, useState } from "preact/hooks";
import { useDrawingWidth } from "../drawing";
import { ExportButtons } from "../export-buttons";
import { svgText } from "../figure-export";
import { titled } from "../figure-title";
import { count } from "../format";
import { messages } from "../language";
import type { AnswerOf } from "../lesson-session";
import { type Forest, inPairs, inSequence, keyOf, leaves, sumsByKey } from "./forest";
import { ForestEditor } from "./forest-editor";
import { lessonWords } from "./lesson-words";
import { leaf, number } from "./numbers";
import { PredictionCard, usePrediction } from "./prediction";
import { computedOn, SourceNote } from "./source-note";
import { EIGHT } from "./step-eight-numbers";
import { StepFrame, type StepProps } from "./step-frame";
import { useAnswer } from "./use-answer";

const N_ONES = 4096;
const ONES: readonly number[] = Array.from({ length: N_ONES }, () => 1);

export function StepTrees({ number: step, session, lesson }: StepProps) {
  const words = lessonWords.value;
  const { language } = messages.value;
  const prediction = usePrediction<"2048" | "4095" | "4096">();
  const [forest, setForest] = useState<Forest>(() => leaves(EIGHT.length));
  const isAsked = prediction.isChecked;
  const ones = useAnswer(
    lesson,
    isAsked ? { kind: "trees", format: "f16", values: ONES, trees: ["sequential", "pairwise"] } : null,
  );
  const whole = inSequence(forest);
  const own = useAnswer(
    lesson,
    isAsked ? { kind: "trees", format: "f16", values: EIGHT, trees: [whole] } : null,
  );
  const [sequential, pairwise] = ones.answer?.trees ?? [];
  const sums = own.answer && !own.isPending ? sumsByKey(whole, own.answer) : null;
  const total = forest.length === 1 ? sums?.get(keyOf(whole)) : undefined;
  return (
    <StepFrame
      number={step}
      isOpen={ones.answer !== null}
      explain={words.trees.explain}
      prediction={
        <PredictionCard
          session={session}
          question={words.trees.question}
          options={(["2048", "4095", "4096"] as const).map((value) => ({ value, label: value }))}
          prediction={prediction}
          truth={
            sequential && pairwise
              ? {
                  value: String(sequential.total) as "2048",
                  words: words.found(
                    words.trees.truth(number(sequential.total, language), number(pairwise.total, language)),
                  ),
                }
              : null
          }
          error={ones.error}
        />
      }
    >
      {ones.answer && <Growth answer={ones.answer} source={computedOn(ones.answer.computed, session)} />}
      <p>{words.trees.lead}</p>
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => setForest([inSequence(leaves(EIGHT.length))])}>
          {words.trees.sequential}
        </button>
        <button type="button" class="quiet" onClick={() => setForest([inPairs(leaves(EIGHT.length))])}>
          {words.trees.pairwise}
        </button>
        <button type="button" class="quiet" onClick={() => setForest(leaves(EIGHT.length))}>
          {words.startOver}
        </button>
      </div>
      <ForestEditor
        forest={forest}
        onChange={setForest}
        leafWords={(index) => leaf(EIGHT[index] ?? 0, language)}
        sumWords={(sum) => {
          const value = sums?.get(keyOf(sum));
          return value === undefined ? null : number(value, language);
        }}
        canJoin
        source={computedOn(own.answer?.computed, session)}
      />
      <p class="lesson-sum numbers" data-tree-total>
        {forest.length > 1 ? (
          words.trees.unfinished(count(forest.length))
        ) : (
          <>
            {words.trees.total} <output>{total === undefined ? "…" : number(total, language)}</output>
            {total !== undefined && total === own.answer?.exact && ` · ${words.exact}`}
          </>
        )}
      </p>
      <SourceNote session={session} computed={ones.answer?.computed} isPending={ones.isPending} />
    </StepFrame>
  );
}

const WIDTH = 600;
const HEIGHT = 220;
/** Where the table looks at the sum. */
const LOOKED_AT = [2, 1024, 2047, 2048, 2049, 3072, N_ONES];

interface GrowthProps {
  answer: AnswerOf<{ kind: "trees" }>;
  /** What computed it, for the saved figure. */
  source: string;
}

/** The sum while ones are added one after another, beside the number of them. */
function Growth({ answer, source }: GrowthProps) {
  const lesson = lessonWords.value;
  const { language } = messages.value;
  const words = lesson.trees;
  const figure = useRef<SVGSVGElement>(null);
  const [key, keyWidth] = useDrawingWidth();
  const partial = answer.trees[0]?.partial ?? [];
  const sumAfter = (n: number) => partial[n - 2] ?? n;
  const x = (n: number) => (WIDTH * n) / N_ONES;
  const y = (sum: number) => HEIGHT - (HEIGHT * sum) / N_ONES;
  const marks = Array.from({ length: 65 }, (_, index) => index * 64);
  const line = marks.map((n) => `${n === 0 ? "M" : "L"}${x(n)} ${y(sumAfter(n))}`).join("");
  return (
    <figure class="lesson-figure growth">
      <figcaption>{words.figure}</figcaption>
      <svg
        ref={figure}
        class="growth-figure"
        preserveAspectRatio="xMinYMid"
        viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`}
        role="img"
        aria-label={words.figureLabel(number(sumAfter(N_ONES), language))}
      >
        <path class="axis-line" d={`M0 0V${HEIGHT}H${WIDTH}`} />
        <path class="ideal" d={`M0 ${HEIGHT}L${WIDTH} 0`} />
        <path class="reached" d={line} />
      </svg>
      <svg ref={key} class="drawing numbers" viewBox={`0 0 ${keyWidth} 48`} aria-hidden="true">
        <path class="ideal" d="M0 12H32" />
        <text x="44" y="17">
          {words.pairwise}: {number(answer.trees[1]?.total ?? 0, language)}
        </text>
        <path class="reached" d="M0 36H32" />
        <text x="44" y="41">
          {words.sequential}: {number(sumAfter(N_ONES), language)}
        </text>
      </svg>
      <ExportButtons
        name="lastbit-sums"
        title={titled(words.figure, source)}
        svg={(title) => figure.current && key.current && svgText(title, [figure.current, key.current])}
      />
      <details class="more">
        <summary>{lesson.asTable}</summary>
        <table class="lesson-table growth-table">
          <thead>
            <tr>
              <th scope="col">{words.added}</th>
              <th scope="col">{words.sum}</th>
            </tr>
          </thead>
          <tbody>
            {LOOKED_AT.map((n) => (
              <tr key={n}>
                <th scope="row">{number(n, language)}</th>
                <td class="numbers">{number(sumAfter(n), language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
