// Step 1: three numbers, two ways to bracket them, three formats.
import { useEffect, useState } from "preact/hooks";
import type { SumFormat } from "../../shared/engine-records";
import { Choice } from "../choice";
import { messages } from "../language";
import { Scrolling } from "../scrolling";
import { lessonWords } from "./lesson-words";
import { number } from "./numbers";
import { PredictionCard, usePrediction } from "./prediction";
import { SourceNote } from "./source-note";
import { StepFrame, type StepProps } from "./step-frame";
import { BRACKETS, type Brackets, FORMATS, LARGE, rowName, SUM_NAMES, sumWords } from "./three-sums";
import { useAnswer } from "./use-answer";

export function StepThreeNumbers({ number: step, session, lesson }: StepProps) {
  const words = lessonWords.value;
  const { language } = messages.value;
  const prediction = usePrediction<"2048" | "2049" | "2050">();
  const [format, setFormat] = useState<SumFormat>("f16");
  const [brackets, setBrackets] = useState<Brackets>("left");
  const [tried, setTried] = useState<Readonly<Record<string, number>>>({});
  const asked = useAnswer(
    lesson,
    prediction.isChecked
      ? { kind: "trees", format, values: [LARGE[format], 1, 1], trees: [BRACKETS[brackets]] }
      : null,
  );
  const total = asked.isPending ? undefined : asked.answer?.trees[0]?.total;
  useEffect(() => {
    if (total !== undefined) setTried((before) => ({ ...before, [`${format} ${brackets}`]: total }));
  }, [total, format, brackets]);
  const first = tried["f16 left"];
  const large = number(LARGE[format], language);
  return (
    <StepFrame
      number={step}
      isOpen={first !== undefined}
      explain={words.three.explain}
      prediction={
        <PredictionCard
          session={session}
          question={words.three.question}
          options={(["2048", "2049", "2050"] as const).map((value) => ({ value, label: value }))}
          prediction={prediction}
          truth={
            first === undefined
              ? null
              : { value: optionOf(first), words: words.found(number(first, language)) }
          }
          error={asked.error}
        />
      }
    >
      <p>{words.three.lead}</p>
      <div class="lesson-choices">
        <Choice
          legend={words.format}
          name="lesson-sum-format"
          options={FORMATS.map((value) => ({ value, label: words.formats[value] }))}
          value={format}
          onChoose={setFormat}
        />
        <Choice
          legend={words.three.brackets}
          name="lesson-brackets"
          options={(["left", "right"] as const).map((value) => ({ value, label: sumWords(large, value) }))}
          value={brackets}
          onChoose={setBrackets}
        />
      </div>
      <p class="lesson-sum numbers">
        {sumWords(large, brackets)} = <output>{total === undefined ? "…" : number(total, language)}</output>
      </p>
      <TriedTable tried={tried} />
      <SourceNote session={session} computed={asked.answer?.computed} isPending={asked.isPending} />
    </StepFrame>
  );
}

function optionOf(total: number): "2048" | "2049" | "2050" | null {
  return ([2048, 2049, 2050] as const).includes(total as 2048) ? (String(total) as "2048") : null;
}

function TriedTable({ tried }: { tried: Readonly<Record<string, number>> }) {
  const words = lessonWords.value;
  const { language } = messages.value;
  return (
    <Scrolling name={words.three.caption}>
      <table class="lesson-table">
        <caption>{words.three.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.format}</th>
            <th scope="col">{SUM_NAMES.left}</th>
            <th scope="col">{SUM_NAMES.right}</th>
          </tr>
        </thead>
        <tbody>
          {FORMATS.map((format) => (
            <tr key={format}>
              <th scope="row">{rowName(format, language)}</th>
              {(["left", "right"] as const).map((brackets) => {
                const total = tried[`${format} ${brackets}`];
                return (
                  <td key={brackets} class="numbers" data-sum={`${format} ${brackets}`}>
                    {total === undefined ? (
                      <span class="note">{words.three.notTried}</span>
                    ) : (
                      number(total, language)
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}
