// How often each result comes up among all orders of a sum: a bar each, marked where it is the exact one or that of the order on show.
import { useDrawingWidth } from "../drawing";
import { ExportButtons } from "../export-buttons";
import { svgText } from "../figure-export";
import { titled } from "../figure-title";
import { count } from "../format";
import { messages } from "../language";
import type { AnswerOf } from "../lesson-session";
import { Scrolling } from "../scrolling";
import { lessonWords } from "./lesson-words";
import { number } from "./numbers";

const ROW = 26;
/** A row that says something of its result has a second line. */
const SECOND_LINE = 20;
const BAR = { left: 64, right: 72, height: 16 };

interface OrderResultsProps {
  answer: AnswerOf<{ kind: "orders" }>;
  /** What the order on show came to. */
  own: number | undefined;
  /** What computed it, for the saved figure. */
  source: string;
}

export function OrderResults({ answer, own, source }: OrderResultsProps) {
  const lesson = lessonWords.value;
  const { language } = messages.value;
  const words = lesson.eight;
  const { results, n_orders, exact } = answer;
  const [drawing, width] = useDrawingWidth();
  const most = Math.max(...results.map((result) => result.n_orders));
  const [least, largest] = [results[0]?.value ?? 0, results.at(-1)?.value ?? 0];
  const label = words.figureLabel(count(results.length), number(least, language), number(largest, language));
  let height = 0;
  const rows = results.map(({ value, n_orders: n }) => {
    const remarks = [value === exact ? lesson.exact : "", value === own ? `◂ ${words.yours}` : ""];
    const remark = remarks.filter((words) => words !== "").join(" · ");
    const top = height;
    height += ROW + (remark === "" ? 0 : SECOND_LINE);
    return { value, n, remark, top, length: ((width - BAR.left - BAR.right) * n) / most };
  });
  return (
    <figure class="lesson-figure">
      <figcaption>{words.figure(count(n_orders))}</figcaption>
      <svg
        ref={drawing}
        class="drawing numbers"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
      >
        {rows.map(({ value, n, remark, top, length }) => (
          <g
            key={value}
            class="order-bar"
            data-own={value === own}
            data-exact={value === exact}
            transform={`translate(0 ${top})`}
          >
            <text x={BAR.left - 12} y="17" text-anchor="end">
              {number(value, language)}
            </text>
            <rect class="bar" x={BAR.left} y="4" width={Math.max(length, 2)} height={BAR.height} />
            <text x={BAR.left + length + 8} y="17">
              {count(n)}
            </text>
            {remark !== "" && (
              <text x={BAR.left} y={ROW + 12}>
                {remark}
              </text>
            )}
          </g>
        ))}
      </svg>
      <ExportButtons
        name="lastbit-orders"
        title={titled(words.figure(count(n_orders)), source)}
        svg={(title) => drawing.current && svgText(title, [drawing.current])}
      />
      <details class="more">
        <summary>{lesson.asTable}</summary>
        <Scrolling name={lesson.asTable}>
          <table class="lesson-table orders-table">
            <thead>
              <tr>
                <th scope="col">{words.result}</th>
                <th scope="col">{words.orders}</th>
              </tr>
            </thead>
            <tbody>
              {results.map(({ value, n_orders: n }) => (
                <tr key={value}>
                  <th scope="row">
                    {number(value, language)}
                    {value === exact && ` (${lesson.exact})`}
                  </th>
                  <td class="numbers">{words.times(count(n), count(n_orders))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      </details>
    </figure>
  );
}
