// Step 2: the bits of a number, its value, and the gap to the next.

import { useState } from "preact/hooks";
import type { SumFormat } from "../../shared/engine-records";
import { Choice } from "../choice";
import { messages } from "../language";
import type { AnswerOf } from "../lesson-session";
import { lessonWords } from "./lesson-words";
import { number, powerOfTwo } from "./numbers";
import { PredictionCard, usePrediction } from "./prediction";
import { SourceNote } from "./source-note";
import { StepFrame, type StepProps } from "./step-frame";
import { FORMATS, LARGE } from "./three-sums";
import { useAnswer } from "./use-answer";

const LAYOUT: Record<
  SumFormat,
  { exponent: number; fraction: number; one: number; large: number; most: number }
> = {
  f16: { exponent: 5, fraction: 10, one: 0x3c00, large: 0x6800, most: 0x7bff },
  bf16: { exponent: 8, fraction: 7, one: 0x3f80, large: 0x4380, most: 0x7f7f },
  f32: { exponent: 8, fraction: 23, one: 0x3f800000, large: 0x4b800000, most: 0x7f7fffff },
};

export function StepWhy({ number: step, session, lesson }: StepProps) {
  const words = lessonWords.value;
  const { language } = messages.value;
  const prediction = usePrediction<"-10" | "0" | "1">();
  const [format, setFormat] = useState<SumFormat>("f16");
  const [bits, setBits] = useState(LAYOUT.f16.large);
  const [truth, setTruth] = useState<number | null>(null);
  const asked = useAnswer(lesson, prediction.isChecked ? { kind: "number", format, bits, plus: 1 } : null);
  const gap = asked.answer?.gap_exponent ?? null;
  // The first answer is that of the question.
  if (truth === null && gap !== null) setTruth(gap);
  const layout = LAYOUT[format];
  const starts = [
    { label: "1", bits: layout.one },
    { label: number(LARGE[format], language), bits: layout.large },
    { label: words.why.largest, bits: layout.most },
  ];
  return (
    <StepFrame
      number={step}
      isOpen={truth !== null}
      explain={words.why.explain}
      prediction={
        <PredictionCard
          session={session}
          question={words.why.question}
          options={(["-10", "0", "1"] as const).map((value) => ({
            value,
            label: powerOfTwo(Number(value), language),
          }))}
          prediction={prediction}
          truth={
            truth === null
              ? null
              : { value: String(truth) as "1", words: words.found(powerOfTwo(truth, language)) }
          }
          error={asked.error}
        />
      }
    >
      <p>{words.why.lead}</p>
      <div class="lesson-choices">
        <Choice
          legend={words.format}
          name="lesson-number-format"
          options={FORMATS.map((value) => ({ value, label: words.formats[value] }))}
          value={format}
          onChoose={(value) => {
            setFormat(value);
            setBits(LAYOUT[value].large);
          }}
        />
        <fieldset class="choice">
          <legend>{words.why.startWith}</legend>
          <div class="shipped">
            {starts.map((start) => (
              <button
                key={start.label}
                type="button"
                class="chip"
                aria-pressed={start.bits === bits}
                onClick={() => setBits(start.bits)}
              >
                {start.label}
              </button>
            ))}
          </div>
        </fieldset>
      </div>
      <Bits format={format} bits={bits} onFlip={(bit) => setBits((bits ^ (1 << bit)) >>> 0)} />
      {asked.answer && <Facts answer={asked.answer} />}
      <SourceNote session={session} computed={asked.answer?.computed} isPending={asked.isPending} />
    </StepFrame>
  );
}

interface BitsProps {
  format: SumFormat;
  bits: number;
  onFlip: (bit: number) => void;
}

/** One button a bit, the sign first. */
function Bits({ format, bits, onFlip }: BitsProps) {
  const words = lessonWords.value.why;
  const { exponent, fraction } = LAYOUT[format];
  const groups = [
    { name: "sign", first: exponent + fraction, count: 1 },
    { name: "exponent", first: fraction + exponent - 1, count: exponent },
    { name: "fraction", first: fraction - 1, count: fraction },
  ] as const;
  const labelOf = (name: "sign" | "exponent" | "fraction", bit: number) => {
    if (name === "sign") return words.sign;
    return name === "exponent" ? words.exponent(bit - fraction) : words.fraction(bit);
  };
  return (
    <div class="bit-groups">
      {groups.map(({ name, first, count }) => (
        <fieldset key={name} data-bits={name}>
          <legend>{words.groups[name]}</legend>
          <div class="bit-row">
            {Array.from({ length: count }, (_, index) => first - index).map((bit) => (
              <button
                key={bit}
                type="button"
                class="bit"
                aria-pressed={((bits >>> bit) & 1) === 1}
                onClick={() => onFlip(bit)}
              >
                <span class="visually-hidden">{labelOf(name, bit)}</span> {(bits >>> bit) & 1}
              </button>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}

function Facts({ answer }: { answer: AnswerOf<{ kind: "number" }> }) {
  const lesson = lessonWords.value;
  const { language } = messages.value;
  const words = lesson.why;
  const { value, gap_exponent, sum } = answer;
  const isLost = sum !== null && sum === value;
  return (
    <>
      <dl class="lesson-facts">
        <div data-fact="value">
          <dt>{words.value}</dt>
          <dd class="numbers">{value === null ? words.classes[answer.class] : number(value, language)}</dd>
        </div>
        <div data-fact="gap">
          <dt>{words.gap}</dt>
          <dd class="numbers">{gap_exponent === null ? words.none : powerOfTwo(gap_exponent, language)}</dd>
        </div>
        <div data-fact="sum">
          <dt>{words.plusOne}</dt>
          <dd class="numbers">{sum === null ? words.none : number(sum, language)}</dd>
        </div>
      </dl>
      <p class="lesson-remark">{isLost ? words.lost : ""}</p>
    </>
  );
}
