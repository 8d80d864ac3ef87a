// The recorded comparisons as plain HTML, for a first view without scripts, a GPU or a download. Pure; the build puts it into
// index.html. The words are those of a live comparison, in English; each is marked by its place in the catalogue, so that the page
// can say it in another language.
import type { Messages } from "../src/page/language";
import { english } from "../src/page/messages/english";
import { type Said, say } from "../src/page/messages/said";
import {
  type Check,
  controlCheck,
  exposureCheck,
  leadSentence,
  runOf,
  type VerdictSentence,
  verdictWords,
} from "../src/page/verdict";
import type { CompareRequest, Comparison, DeviceReport, Fork, Run } from "../src/shared/engine-records";

/** What `lastbit compare --json` prints, as far as it is shown. */
export interface RecordedComparison {
  comparison: Comparison;
  device: Pick<DeviceReport, "driver">;
  model: { sha256: string };
  request: CompareRequest;
}

/** Where the page serves the records themselves. */
export const RECORD_PATHS = { byShape: "recorded/by-shape.json", invariant: "recorded/invariant.json" };

/** Both orders of one request; a radio button of plain HTML changes over from one to the other. */
export function recordedForkHtml(byShape: RecordedComparison, invariant: RecordedComparison): string {
  const { prompt } = byShape.request;
  const isChat = prompt.kind === "chat";
  return `<section class="recorded" data-view="run" aria-labelledby="recorded-heading">
  <div class="recorded-head">
    <h2 id="recorded-heading">${words("verdict", ["recorded"])}</h2>
    <p class="question"><span class="label">${words("prompt", [isChat ? "message" : "text"])}</span> <span lang="en">${escaped(isChat ? prompt.user : prompt.text)}</span></p>
  </div>
  <p class="hint first-words">${words("verdict", ["firstWords"])}</p>
  ${take(byShape, "by-shape")}
  ${take(invariant, "invariant")}
  <div class="recorded-next">
    <fieldset class="choice">
      <legend>${words("verdict", ["changeOrder"])}</legend>
      <div class="segments">
        <label><input type="radio" name="recorded-order" id="recorded-by-shape" checked><span>${words("verdict", ["byShape"])}</span></label>
        <label><input type="radio" name="recorded-order" id="recorded-invariant"><span>${words("verdict", ["invariant"])}</span></label>
      </div>
    </fieldset>
    <a class="primary" href="#live">${words("verdict", ["runYours"])}</a>
  </div>
  <p class="hint">${words("verdict", ["recordedBy", byShape.device.driver])} ${words("verdict", ["records"])}
    <a href="${RECORD_PATHS.byShape}">${words("verdict", ["byShapeRecord"])}</a>, <a href="${RECORD_PATHS.invariant}">${words("verdict", ["invariantRecord"])}</a>.
    ${words("verdict", ["whyThis"])}</p>
</section>`;
}

function take({ comparison }: RecordedComparison, order: string): string {
  const cold = runOf(comparison, "cold-a");
  const warm = runOf(comparison, "warm");
  if (!cold || !warm) throw new Error(`the recorded comparison ${order} has no cold or no warm run`);
  const { title, meaning } = verdictWords(comparison);
  const { fork } = comparison;
  const sentences = [...meaning, ...(fork ? leadSentence(fork) : [])];
  return `<div class="take streams" data-order="${order}">
    <div class="take-head">
      <p class="take-title">${verdict(title)}</p>
      <ul class="checks">${checkItem(controlCheck(comparison))}${checkItem(exposureCheck(comparison))}</ul>
    </div>
    ${fork ? parted(cold, warm, fork) : together(cold)}
    <p class="take-meaning">${sentences.map(verdict).join(" ")}</p>
  </div>`;
}

/** An entry of the catalogue in English, with its place and what it is filled with. */
function words<P extends keyof Messages>(part: P, said: Said<Messages[P]>): string {
  const [name, ...filling] = said;
  const filled = filling.length > 0 ? ` data-arguments="${escaped(JSON.stringify(filling))}"` : "";
  return `<span data-message="${part}.${String(name)}"${filled}>${escaped(say(english[part], said))}</span>`;
}

function verdict(sentence: VerdictSentence): string {
  return words("verdict", sentence);
}

function checkItem({ text, state }: Check): string {
  const marks: Record<Check["state"], string> = { passed: "&nbsp;✓", failed: "&nbsp;✗", open: "" };
  return `<li data-state="${state}">${verdict(text)}${marks[state]}</li>`;
}

function together(run: Run): string {
  return `<div class="trunk" data-shared="true">
      <h3><span aria-hidden="true">= </span>${words("result", ["allShared", run.steps.length])}</h3>
      <p class="text" lang="en">${textOf(run, 0)}</p>
    </div>`;
}

function parted(cold: Run, warm: Run, fork: Fork): string {
  return `<div class="trunk" data-shared="true">
      <h3><span aria-hidden="true">= </span>${words("result", ["shared", fork.index])}</h3>
      <p class="text" lang="en">${textOf(cold, 0, fork.index)}</p>
    </div>
    <div class="arms">
      ${arm("cold", "everythingComputed", cold, fork.index)}
      ${arm("warm", "cacheReused", warm, fork.index)}
    </div>`;
}

function arm(
  side: "cold" | "warm",
  does: "everythingComputed" | "cacheReused",
  run: Run,
  fork: number,
): string {
  const first = run.steps[fork]?.text ?? "";
  const shape = side === "cold" ? '<circle cx="6" cy="6" r="4.5"/>' : '<path d="M6 .8 11.2 6 6 11.2 .8 6Z"/>';
  return `<div class="arm" data-side="${side}">
        <h3><svg class="side-mark" viewBox="0 0 12 12" data-side="${side}" aria-hidden="true">${shape}</svg> ${words("result", [side])} <span class="arm-does">${words("result", [does])}</span></h3>
        <p class="text" lang="en"><span class="token fork-token"><span class="fork-number">⟨${fork + 1}⟩</span> ${escaped(first.trim())}</span>${textOf(run, fork + 1)}</p>
      </div>`;
}

/** Where the number of tokens ended it, not the model, it goes on in dots. */
function textOf(run: Run, from: number, to?: number): string {
  const text = run.steps.slice(from, to).map((step) => step.text);
  return escaped(text.join("")) + (to === undefined && run.stop === "max-tokens" ? " …" : "");
}

function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}
