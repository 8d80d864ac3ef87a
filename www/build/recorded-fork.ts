// The recorded comparisons as plain HTML, for a first view without scripts, a GPU or a download. Pure; the build puts it into
// index.html. The words are those of a live comparison.
import { count, quotedToken, signed } from "../src/page/format";
import { type Check, controlCheck, exposureCheck, runOf, verdictWords } from "../src/page/verdict";
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
  return `<section class="recorded" data-view="run" aria-labelledby="recorded-heading">
  <h2 id="recorded-heading" class="visually-hidden">A recorded run</h2>
  <p class="question"><span class="label">${prompt.kind === "chat" ? "Message" : "Text"}</span> ${escaped(prompt.kind === "chat" ? prompt.user : prompt.text)}</p>
  ${take(byShape, "by-shape")}
  ${take(invariant, "invariant")}
  <div class="recorded-next">
    <fieldset class="choice">
      <legend>Change the order of addition</legend>
      <div class="segments">
        <label><input type="radio" name="recorded-order" id="recorded-by-shape" checked><span>By shape (usual)</span></label>
        <label><input type="radio" name="recorded-order" id="recorded-invariant"><span>Invariant (one order)</span></label>
      </div>
    </fieldset>
    <a class="primary" href="#live">Run it on your machine</a>
  </div>
  <p class="hint">Recorded by this very engine on a software GPU (${escaped(byShape.device.driver)}): records
    <a href="${RECORD_PATHS.byShape}">by shape</a> and <a href="${RECORD_PATHS.invariant}">invariant</a>. It stands here because it forks; of 40
    prompts that nobody chose, 35 did within 100 tokens on that device. Yours may fork elsewhere, or not at all.</p>
</section>`;
}

function take({ comparison }: RecordedComparison, order: string): string {
  const cold = runOf(comparison, "cold-a");
  const warm = runOf(comparison, "warm");
  if (!cold || !warm) throw new Error(`the recorded comparison ${order} has no cold or no warm run`);
  const { title, meaning } = verdictWords(comparison);
  const { fork } = comparison;
  return `<div class="take streams" data-order="${order}">
    <div>
      <p class="take-title">${escaped(title)}</p>
      <ul class="checks">${checkItem(controlCheck(comparison))}${checkItem(exposureCheck(comparison))}</ul>
    </div>
    ${fork ? parted(cold, warm, fork) : together(cold)}
    <p class="take-meaning">${escaped(meaning)}${fork ? ` ${escaped(marginWords(fork))}` : ""}</p>
  </div>`;
}

function checkItem({ text, state }: Check): string {
  const marks: Record<Check["state"], string> = { passed: "&nbsp;✓", failed: "&nbsp;✗", open: "" };
  return `<li data-state="${state}">${escaped(text)}${marks[state]}</li>`;
}

/** The lead of cold's token over warm's, in both runs. */
function marginWords({ cold, warm, cold_pair_margin, warm_pair_margin }: Fork): string {
  if (cold_pair_margin === null || warm_pair_margin === null) return "";
  const pair = `${quotedToken(cold.text)} led ${quotedToken(warm.text)} by ${signed(cold_pair_margin)} in the cold run`;
  return `${pair} and by ${signed(warm_pair_margin)} in the warm one.`;
}

function together(run: Run): string {
  return `<div class="trunk" data-shared="true">
      <h3><span aria-hidden="true">= </span>Shared, all ${count(run.steps.length)} tokens</h3>
      <p class="text">${textOf(run, 0)}</p>
    </div>`;
}

function parted(cold: Run, warm: Run, fork: Fork): string {
  return `<div class="trunk" data-shared="true">
      <h3><span aria-hidden="true">= </span>Shared, tokens 1–${fork.index}</h3>
      <p class="text">${textOf(cold, 0, fork.index)}</p>
    </div>
    <div class="arms">
      ${arm("cold", "Cold", "everything computed", cold, fork.index)}
      ${arm("warm", "Warm", "cache reused", warm, fork.index)}
    </div>`;
}

function arm(side: "cold" | "warm", title: string, does: string, run: Run, fork: number): string {
  const first = run.steps[fork]?.text ?? "";
  return `<div class="arm" data-side="${side}">
        <h3><svg class="side-mark" viewBox="0 0 12 12" data-side="${side}" aria-hidden="true">${side === "cold" ? '<circle cx="6" cy="6" r="4.5"/>' : '<path d="M6 .8 11.2 6 6 11.2 .8 6Z"/>'}</svg> ${title} <span class="arm-does">${does}</span></h3>
        <p class="text"><span class="token fork-token"><span class="fork-number">⟨${fork + 1}⟩</span> ${escaped(first.trim())}</span>${textOf(run, fork + 1)}</p>
      </div>`;
}

function textOf(run: Run, from: number, to?: number): string {
  const text = run.steps.slice(from, to).map((step) => step.text);
  return escaped(text.join(""));
}

function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}
