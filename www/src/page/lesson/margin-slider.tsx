// Two logits, each with how far it may drift, and a margin between them that a person sets.
import { useId, useState } from "preact/hooks";
import { Hatch, useDrawingWidth } from "../drawing";
import { ExportButtons } from "../export-buttons";
import { svgText } from "../figure-export";
import { titled } from "../figure-title";
import { margin as marginWords } from "../format";
import { textWidth } from "../text-width";
import { type Decision, isWithinReach } from "./decisions";
import { lessonWords } from "./lesson-words";

const ROW = 40;
const SIZE = 16;
const GAP = 16;

interface MarginSliderProps {
  decisions: readonly Decision[];
  /** Where they are from, for the saved figure. */
  source: string;
}

export function MarginSlider({ decisions, source }: MarginSliderProps) {
  const words = lessonWords.value.choice;
  // The fork's, else that of the closest call.
  const closest = decisions.toSorted((a, b) => a.margin - b.margin)[0];
  const { drift, margin } = decisions.find(({ forked }) => forked) ?? closest ?? { drift: 0, margin: 0 };
  const most = 4 * drift;
  const [chosen, setChosen] = useState<number | null>(null);
  const value = chosen ?? Math.min(margin, most);
  const isNear = isWithinReach(value, drift);
  const said = isNear ? words.can : words.cannot;
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
          aria-valuetext={`${marginWords(value)}. ${said}`}
          onInput={(event) => setChosen(event.currentTarget.valueAsNumber)}
        />
      </label>
      <LogitBars margin={value} drift={drift} most={most} source={source} />
      <p class="lesson-remark">{said}</p>
    </div>
  );
}

interface LogitBarsProps {
  margin: number;
  drift: number;
  most: number;
  source: string;
}

/** What the slider says in numbers, as a picture. */
function LogitBars({ margin, drift, most, source }: LogitBarsProps) {
  const words = lessonWords.value.choice;
  const [drawing, width] = useDrawingWidth();
  const hatch = useId();
  const names = [words.best, words.second];
  const left = Math.max(...names.map((name) => textWidth(name, SIZE))) + GAP;
  const at = (logit: number) => left + ((width - left) * (logit + 1.5 * drift)) / (most + 3 * drift);
  return (
    <>
      <svg ref={drawing} class="drawing" viewBox={`0 0 ${width} ${2 * ROW}`} aria-hidden="true">
        <Hatch id={hatch} />
        {[margin, 0].map((logit, row) => (
          <g key={names[row]} transform={`translate(0 ${row * ROW})`}>
            <text y="25" font-size={SIZE}>
              {names[row]}
            </text>
            <path class="track" d={`M${left} 20H${width}`} />
            <rect
              class="reach"
              fill={`url(#${hatch})`}
              x={at(logit - drift)}
              y="9"
              width={at(logit + drift) - at(logit - drift)}
              height="22"
            />
            <path class="mark" d={`M${at(logit)} 4V36`} />
          </g>
        ))}
      </svg>
      <ExportButtons
        name="lastbit-margin"
        title={titled(
          `${words.margin}: ${marginWords(margin)} · ${words.drift}: ±${marginWords(drift)}`,
          source,
        )}
        svg={(title) => drawing.current && svgText(title, [drawing.current])}
      />
    </>
  );
}
