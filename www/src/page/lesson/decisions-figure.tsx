// Every decision up to the fork: its margin, and twice its drift, within which it can flip.
import { useId } from "preact/hooks";
import { Hatch, useDrawingWidth } from "../drawing";
import { ExportButtons } from "../export-buttons";
import { svgText } from "../figure-export";
import { titled } from "../figure-title";
import { count, margin as marginWords, visibleToken } from "../format";
import { Scrolling } from "../scrolling";
import { fitted, textWidth } from "../text-width";
import { type Decision, isWithinReach } from "./decisions";
import { lessonWords } from "./lesson-words";

const ROW = 26;
const SIZE = 14;
const GAP = 12;
/** Most of the width that the tokens take. */
const TOKENS_SHARE = 0.22;

interface DecisionsFigureProps {
  decisions: readonly Decision[];
  n_within: number;
  /** Where they are from, for the saved figure. */
  source: string;
}

export function DecisionsFigure({ decisions, n_within, source }: DecisionsFigureProps) {
  const words = lessonWords.value.choice;
  const [drawing, width] = useDrawingWidth();
  const hatch = useId();
  const said = decisions.map((decision) => `${marginWords(decision.margin)} · ${reachWords(decision)}`);
  const left = width * TOKENS_SHARE;
  const right = width - Math.max(...said.map((text) => textWidth(text, SIZE))) - GAP;
  const most = 3 * Math.max(...decisions.map(({ drift }) => drift));
  const at = (value: number) => left + (right - left) * Math.min(value / most, 1);
  return (
    <figure class="lesson-figure">
      <figcaption>{words.calls}</figcaption>
      <svg
        ref={drawing}
        class="drawing numbers"
        viewBox={`0 0 ${width} ${ROW * (decisions.length + 1)}`}
        role="img"
        aria-label={words.callsLabel(count(n_within), count(decisions.length))}
      >
        <Hatch id={hatch} />
        {decisions.map(({ text, margin, drift, forked }, index) => (
          <g
            key={`${index} ${text}`}
            class="decision-row"
            data-forked={forked}
            transform={`translate(0 ${ROW * index})`}
          >
            <text class="token-text" y="18">
              {fitted(visibleToken(text), SIZE, left - GAP)}
            </text>
            <path class="track" d={`M${left} 13H${right}`} />
            <rect
              class="reach"
              fill={`url(#${hatch})`}
              x={left}
              y="5"
              width={at(2 * drift) - left}
              height="16"
            />
            <path class="mark" d={`M${at(margin)} 3V23`} />
            <text x={right + GAP} y="18">
              {said[index]}
            </text>
          </g>
        ))}
        <g transform={`translate(0 ${ROW * decisions.length})`}>
          <path class="mark" d="M4 7V23" />
          <text x="16" y="20">
            {words.margin}
          </text>
          <rect class="reach" fill={`url(#${hatch})`} x={left} y="8" width="24" height="14" />
          <text x={left + 32} y="20">
            {words.twice}
          </text>
        </g>
      </svg>
      <ExportButtons
        name="lastbit-decisions"
        title={titled(words.calls, source)}
        svg={(title) => drawing.current && svgText(title, [drawing.current])}
      />
      <DecisionsTable decisions={decisions} />
    </figure>
  );
}

function reachWords({ margin, drift, forked }: Decision): string {
  const words = lessonWords.value.choice;
  if (forked) return words.forked;
  return isWithinReach(margin, drift) ? words.yes : words.no;
}

function DecisionsTable({ decisions }: { decisions: readonly Decision[] }) {
  const lesson = lessonWords.value;
  const words = lesson.choice;
  return (
    <details class="more">
      <summary>{lesson.asTable}</summary>
      <Scrolling name={lesson.asTable}>
        <table class="lesson-table decisions-table">
          <thead>
            <tr>
              <th scope="col">{words.token}</th>
              <th scope="col">{words.marginCold}</th>
              <th scope="col">{words.twice}</th>
              <th scope="col">{words.reach}</th>
            </tr>
          </thead>
          <tbody>
            {decisions.map((decision, index) => (
              <tr key={`${index} ${decision.text}`} data-fork={decision.forked}>
                <th scope="row">
                  {index + 1} {visibleToken(decision.text)}
                </th>
                <td class="numbers">{marginWords(decision.margin)}</td>
                <td class="numbers">{marginWords(2 * decision.drift)}</td>
                <td>{reachWords(decision)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </details>
  );
}
