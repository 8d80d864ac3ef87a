// One real dot product of the loaded model: its blocks added in any order and brackets, and the last bits that change.
import { useState } from "preact/hooks";
import type { DotProduct, EngineError } from "../../shared/engine-records";
import { toldOf } from "../failures";
import { titled } from "../figure-title";
import { count, quotedToken } from "../format";
import { messages } from "../language";
import type { LessonSession } from "../lesson-session";
import type { Session } from "../session";
import { titleOf } from "../sources";
import { type Forest, inPairs, inSequence, inSlices, keyOf, leaves, sumsByKey } from "./forest";
import { ForestEditor } from "./forest-editor";
import { LastBits } from "./last-bits";
import { lessonWords } from "./lesson-words";
import { changedBits, hexadecimal, number, stepsBetween } from "./numbers";
import { computedOn, SourceNote } from "./source-note";
import { useAnswer } from "./use-answer";

/** Its first token's embedding is multiplied. */
const WORD = " rain";
const BITS = 32;
/** As many as tell every two numbers of f32 apart. */
const F32_DIGITS = 9;

interface DotProductPanelProps {
  session: Session;
  lesson: LessonSession;
}

export function DotProductPanel({ session, lesson }: DotProductPanelProps) {
  const words = lessonWords.value;
  const [taken, setTaken] = useState<(DotProduct & { model_title: string }) | null>(null);
  const [error, setError] = useState<EngineError | null>(null);
  const model = session.model.value;
  const isReady = model.kind === "ready";
  const take = () => {
    if (!isReady) return;
    const model_title = titleOf(model.selection);
    setError(null);
    lesson.dotProduct(WORD).then((product) => setTaken({ ...product, model_title }), setError);
  };
  return (
    <section class="dot-product" aria-label={words.dot.title}>
      <h4>{words.dot.title}</h4>
      {taken === null && !isReady && <p class="note">{words.dot.after}</p>}
      {taken === null && isReady && (
        <button type="button" disabled={session.isBusy.value} onClick={take}>
          {words.dot.take}
        </button>
      )}
      {error !== null && <p class="lesson-error">{words.failed(toldOf(error).happened.text)}</p>}
      {taken !== null && <Blocks product={taken} session={session} lesson={lesson} />}
    </section>
  );
}

function Blocks({
  product,
  session,
  lesson,
}: DotProductPanelProps & { product: DotProduct & { model_title: string } }) {
  const words = lessonWords.value;
  const { language } = messages.value;
  const { block_sums: values, n_slices, tensor, token_text } = product;
  const all = leaves(values.length);
  const [forest, setForest] = useState<Forest>(all);
  const own = inSequence(forest);
  const asked = useAnswer(lesson, {
    kind: "trees",
    format: "f32",
    values,
    trees: [own, inSequence(all)],
  });
  const sums = asked.answer && !asked.isPending ? sumsByKey(own, asked.answer) : null;
  const [result, first] = asked.answer?.trees ?? [];
  const computed = asked.answer?.computed;
  const source = titled(product.model_title, computedOn(computed, session));
  const short = (value: number) => rounded(value, 4, language);
  return (
    <>
      <p>
        {words.dot.lead(tensor, quotedToken(token_text), count(values.length * 32), count(values.length))}
      </p>
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => setForest(all)}>
          {words.dot.tiled}
        </button>
        <button type="button" class="quiet" onClick={() => setForest([inSlices(all, n_slices)])}>
          {words.dot.sliced(count(n_slices))}
        </button>
        <button type="button" class="quiet" onClick={() => setForest([inPairs(all)])}>
          {words.dot.pairwise}
        </button>
      </div>
      <ForestEditor
        forest={forest}
        onChange={setForest}
        leafWords={(index) => short(values[index] ?? 0)}
        sumWords={(sum) => {
          const value = sums?.get(keyOf(sum));
          return value === undefined ? null : short(value);
        }}
        canJoin
        source={source}
      />
      {result && first && (
        <Result total={result.total} bits={result.bits} others={first.bits} source={source} />
      )}
      <SourceNote session={session} computed={computed} isPending={asked.isPending} />
    </>
  );
}

function rounded(value: number, digits: number, language: string): string {
  return number(Number(value.toPrecision(digits)), language);
}

interface ResultProps {
  total: number;
  bits: number;
  /** Of the sum of one after another. */
  others: number;
  source: string;
}

function Result({ total, bits, others, source }: ResultProps) {
  const lesson = lessonWords.value;
  const { language } = messages.value;
  const words = lesson.dot;
  const changed = changedBits(bits, others, BITS);
  const n_steps = stepsBetween(bits, others);
  const label = words.bitLabel(hexadecimal(bits, BITS), changed.filter(Boolean).length);
  return (
    <div class="last-bits">
      <p class="lesson-sum numbers">
        {words.result} <output>{rounded(total, F32_DIGITS, language)}</output>
      </p>
      <p class="label">{words.bits}</p>
      <LastBits bits={bits} changed={changed} label={label} source={source} />
      <p class="lesson-remark">{n_steps === 0 ? words.same : words.differ(words.steps(count(n_steps)))}</p>
    </div>
  );
}
