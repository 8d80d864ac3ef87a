// The worksheet for paper: every question with room for a prediction, for what was found, and for why. Only print shows it.
import type { ComponentChildren } from "preact";
import { hashOf } from "../address";
import { messages } from "../language";
import { lessonWords } from "./lesson-words";
import { leaf, number, powerOfTwo } from "./numbers";
import { EIGHT } from "./step-eight-numbers";
import { FORMATS, LARGE, rowName, SUM_NAMES } from "./three-sums";

export function Worksheet() {
  const words = lessonWords.value;
  const { language } = messages.value;
  const sheet = words.worksheet;
  const address = new URL(hashOf("lesson"), document.baseURI).href;
  const three = number(2048, language);
  const tasks: { question: string; options: string[]; room: ComponentChildren }[] = [
    { question: words.three.question, options: ["2048", "2049", "2050"], room: <SumTable /> },
    {
      question: words.why.question,
      options: [-10, 0, 1].map((exponent) => powerOfTwo(exponent, language)),
      room: <Blanks labels={["1", three, number(LARGE.f32, language)]} />,
    },
    {
      question: words.eight.question,
      options: Object.values(words.eight.options),
      room: <Blanks labels={[sheet.smallest, sheet.largest]} />,
    },
    {
      question: words.trees.question,
      options: ["2048", "4095", "4096"],
      room: <p class="tree-room numbers">{EIGHT.map((value) => leaf(value, language)).join("   ")}</p>,
    },
    {
      question: words.choice.question,
      options: Object.values(words.choice.options),
      room: <Blanks labels={[words.choice.margin, words.choice.drift]} />,
    },
    {
      question: words.cold.question,
      options: Object.values(words.cold.options),
      room: <Blanks labels={[words.cold.cold, words.cold.warm, words.cold.invariant]} />,
    },
  ];
  return (
    <section class="worksheet" aria-hidden="true">
      <div class="worksheet-head">
        <h2>{sheet.title}</h2>
        <p>
          {sheet.name} <span class="blank" />
        </p>
        <p>
          {sheet.date} <span class="blank" />
        </p>
      </div>
      {tasks.map(({ question, options, room }, index) => (
        <div class="task" key={question}>
          <h3>{words.step(index + 1, words.steps[index] ?? "")}</h3>
          <p>{question}</p>
          <ul class="boxes">
            {options.map((option) => (
              <li key={option}>{option}</li>
            ))}
          </ul>
          <p class="task-line">
            {sheet.found} <span class="blank" />
          </p>
          <p>{sheet.try[index]}</p>
          {room}
          <p class="task-line">
            {sheet.because} <span class="blank" />
          </p>
          <p class="task-line">
            <span class="blank" />
          </p>
        </div>
      ))}
      <p class="worksheet-address">{sheet.openAt(address)}</p>
    </section>
  );
}

function Blanks({ labels }: { labels: readonly string[] }) {
  return (
    <div class="blanks">
      {labels.map((label) => (
        <p class="task-line" key={label}>
          {label} <span class="blank" />
        </p>
      ))}
    </div>
  );
}

function SumTable() {
  const words = lessonWords.value;
  const { language } = messages.value;
  return (
    <table class="lesson-table">
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
            <td />
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
