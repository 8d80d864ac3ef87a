// Step 5: from the last bits of a sum to another word: a margin against the drift of a real comparison.
import { useState } from "preact/hooks";
import { count, margin as marginWords, visibleToken } from "../format";
import { Scrolling } from "../scrolling";
import type { Session } from "../session";
import { type Decision, decisionsOf, isWithinReach } from "./decisions";
import { lessonWords } from "./lesson-words";
import { PredictionCard, usePrediction } from "./prediction";
import { type RecordedState, useRecordedFork } from "./recorded";
import { StepFrame, type StepProps } from "./step-frame";

export function StepChoice({ number: step, session }: StepProps) {
  const lesson = lessonWords.value;
  const words = lesson.choice;
  const prediction = usePrediction<"yes" | "no">();
  const shown = decisionsOnShow(session);
  const recorded = useRecordedFork(prediction.isChecked && shown === null);
  const decisions = shown ?? decisionsOfRecord(recorded);
  const within = decisions.filter(({ margin, drift }) => isWithinReach(margin, drift));
  return (
    <StepFrame
      number={step}
      isOpen={prediction.isChecked}
      explain={[
        words.explain,
        ...(decisions.length > 0 ? [words.explainReach(count(within.length), count(decisions.length))] : []),
      ]}
      prediction={
        <PredictionCard
          question={words.question}
          options={(["yes", "no"] as const).map((value) => ({ value, label: words.options[value] }))}
          prediction={prediction}
          truth={{ value: "no", words: words.truth }}
        />
      }
    >
      <p>{words.lead}</p>
      {decisions.length > 0 ? (
        <>
          <Slider decisions={decisions} />
          <Decisions decisions={decisions} n_within={within.length} />
          <p class="hint">{words.driftIs}</p>
          <p class="hint">{sourceWords(shown !== null, recorded)}</p>
        </>
      ) : (
        <p>{recorded === "unreadable" ? words.unreadable : words.loading}</p>
      )}
    </StepFrame>
  );
}

/** Those of the comparison that a person ran, where its logits drifted. */
function decisionsOnShow(session: Session): Decision[] | null {
  const state = session.comparison.value;
  if (state.kind !== "done") return null;
  const decisions = decisionsOf(state.comparison);
  return decisions.some(({ drift }) => drift > 0) ? decisions : null;
}

function decisionsOfRecord(recorded: RecordedState): Decision[] {
  return typeof recorded === "string" ? [] : decisionsOf(recorded.comparison);
}

function sourceWords(isOnShow: boolean, recorded: RecordedState): string {
  const words = lessonWords.value.choice;
  if (isOnShow) return words.onShow;
  return typeof recorded === "string" ? "" : words.recorded(recorded.device.driver);
}

/** Two logits, each with how far it may drift, and a margin between them that a person sets. */
function Slider({ decisions }: { decisions: readonly Decision[] }) {
  const lesson = lessonWords.value;
  const words = lesson.choice;
  // The fork's, else that of the closest call.
  const closest = decisions.toSorted((a, b) => a.margin - b.margin)[0];
  const { drift, margin } = decisions.find(({ forked }) => forked) ?? closest ?? { drift: 0, margin: 0 };
  const most = 4 * drift;
  const [chosen, setChosen] = useState<number | null>(null);
  const value = chosen ?? Math.min(margin, most);
  const isNear = isWithinReach(value, drift);
  const from = -1.5 * drift;
  const place = (logit: number) => `${(100 * (logit - from)) / (most + 3 * drift)}%`;
  const bar = (logit: number) => ({
    left: place(logit - drift),
    width: `${(200 * drift) / (most + 3 * drift)}%`,
  });
  return (
    <div class="margin-slider" data-reach={isNear}>
      <label class="field">
        <span class="label">
          {words.margin}: <output class="numbers">{marginWords(value)}</output> · {words.drift}: ±
          {marginWords(drift)}
        </span>
        <input
          type="range"
          min={0}
          max={most}
          step={drift / 50}
          value={value}
          aria-valuetext={`${marginWords(value)}. ${isNear ? words.can : words.cannot}`}
          onInput={(event) => setChosen(event.currentTarget.valueAsNumber)}
        />
      </label>
      <div class="logit-bars" aria-hidden="true">
        <span class="logit-name">{words.best}</span>
        <span class="logit-track">
          <span class="logit-drift" style={bar(value)} />
          <span class="logit-mark" style={{ left: place(value) }} />
        </span>
        <span class="logit-name">{words.second}</span>
        <span class="logit-track">
          <span class="logit-drift" style={bar(0)} />
          <span class="logit-mark" style={{ left: place(0) }} />
        </span>
      </div>
      <p class="lesson-remark">{isNear ? words.can : words.cannot}</p>
    </div>
  );
}

function Decisions({ decisions, n_within }: { decisions: readonly Decision[]; n_within: number }) {
  const lesson = lessonWords.value;
  const words = lesson.choice;
  const most = 3 * Math.max(...decisions.map(({ drift }) => drift));
  const share = (value: number) => `${Math.min((100 * value) / most, 100)}%`;
  const reachWords = ({ margin, drift, forked }: Decision) =>
    forked ? words.forked : isWithinReach(margin, drift) ? words.yes : words.no;
  return (
    <figure class="lesson-figure">
      <figcaption>{words.calls}</figcaption>
      <div
        class="decision-rows numbers"
        role="img"
        aria-label={words.callsLabel(count(n_within), count(decisions.length))}
      >
        {decisions.map((decision, index) => (
          <div key={`${index} ${decision.text}`} class="decision-row" data-forked={decision.forked}>
            <span class="decision-token">{visibleToken(decision.text)}</span>
            <span class="decision-track">
              <span class="decision-reach" style={{ width: share(2 * decision.drift) }} />
              <span class="decision-mark" style={{ left: share(decision.margin) }} />
            </span>
            <span>
              {marginWords(decision.margin)} · {reachWords(decision)}
            </span>
          </div>
        ))}
      </div>
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
    </figure>
  );
}
