// What a visitor does on the page, step by step. Every wait ends at once when the page shows a failure.
import { lastComparison, ok, open } from "./harness.mjs";

// For a hang on a busy machine only: what fails is told by the page at once.
const LOAD_MS = 180_000;
const RUN_MS = 400_000;

/** 60 prompt tokens as the chat template writes them; with 32 tokens a run the comparison that has two minutes. */
export const SIXTY_TOKEN_PROMPT =
  "A friend is learning to cook and asks for one simple dinner that needs only a single pan. " +
  "Describe the dish, then explain how to make it.";

/** Failures of a load and of a comparison; a refused file of a person's own stands in nobody's way. */
const LOAD_FAILURE = ".load-failure .failure";
const FAILURES = `${LOAD_FAILURE}, .result .failure`;

/** Waits for `wanted`, or throws the words of the failure that `failures` finds first. */
async function arrives(page, wanted, failures, timeout, state = "visible") {
  const failure = page.locator(failures);
  await wanted.or(failure).first().waitFor({ timeout, state });
  if (await failure.isVisible()) throw new Error(`the page shows a failure:\n${await failure.innerText()}`);
}

/** A stage of the load reaches a state, whatever view is on show. Failures of a comparison stay on the page and do not count here. */
export function stage(page, label, state, timeout = LOAD_MS) {
  const wanted = page.locator(`.stages li[data-state="${state}"]`, { hasText: label });
  return arrives(page, wanted, LOAD_FAILURE, timeout, "attached");
}

/** A run reaches a state, and says these words (a text or a regular expression), while the comparison goes on. */
export function runState(page, run, state, hasText = "") {
  const cell = `.result[data-state="running"] [data-run="${run}"][data-state="${state}"]`;
  const wanted = page.locator(cell, { hasText });
  return arrives(page, wanted, FAILURES, RUN_MS);
}

/** The comparison ends; returns the engine's report. */
export async function settled(page, timeout = RUN_MS) {
  await arrives(page, page.locator('.result[data-state="done"]'), FAILURES, timeout);
  return lastComparison(page);
}

/** The page shows this failure and no other; its element. */
export async function failure(page, code) {
  const shown = page.locator(".failure");
  await shown.waitFor({ timeout: LOAD_MS });
  const found = await shown.getAttribute("data-code");
  ok(found === code, `expected the failure ${code}, found ${found}:\n${await shown.innerText()}`);
  return shown;
}

/** Goes to a view by its link. */
export function toView(page, name) {
  return page.locator(`.views a[href="#/${name}"]`).click();
}

/** Shows the ways to another model. */
export async function openPicker(page) {
  await toView(page, "models");
  await page.locator(".picker").waitFor();
}

/** In the view Models, a load reaches its end; the comparison is then on show. */
export async function loaded(page) {
  await arrives(page, page.locator(".loaded-now"), LOAD_FAILURE, LOAD_MS);
  await toView(page, "run");
  await stage(page, "Ready", "done");
}

/** Clicks the button under a failure and sees the failure go. */
export async function takeTheWayOut(shown) {
  await shown.getByRole("button").click();
  await shown.waitFor({ state: "hidden" });
}

/** A new page with the model loaded. */
export async function openLoaded(browser, url, options) {
  const visit = await open(browser, url, options);
  await startLoad(visit.page);
  await stage(visit.page, "Ready", "done");
  return visit;
}

export function startLoad(page) {
  return page.getByRole("button", { name: /Load the model only/ }).click();
}

/** Sets what is given: a shipped prompt's label or a text, order, formats, tokens a run. */
export async function choose(page, { prompt, order, formats, tokens }) {
  await toView(page, "run");
  if (prompt) {
    const shipped = page.getByRole("button", { name: prompt, exact: true });
    if ((await shipped.count()) === 1) await shipped.click();
    else await page.getByLabel("Message", { exact: true }).fill(prompt);
  }
  if (order) await page.getByLabel(order, { exact: true }).check({ force: true });
  if (formats) await page.getByLabel(formats, { exact: true }).check({ force: true });
  if (tokens) {
    await page.getByLabel("Tokens per run, at most").fill(String(tokens));
    await page.getByLabel("Tokens per run, at most").blur();
  }
}

/** Starts a comparison on a page with a loaded model and sees it begin, so that no earlier result is taken for it. */
export async function startRun(page) {
  const n_before = await page.evaluate(
    () => globalThis.responses.filter((result) => "verdict" in result).length,
  );
  await page.getByRole("button", { name: "Run cold, cold, warm" }).click();
  // A short one may be over before anybody looks.
  await page.waitForFunction(
    ([n_before, begun]) =>
      document.querySelector(begun) ||
      globalThis.responses.filter((result) => "verdict" in result).length > n_before,
    [n_before, `.result[data-state="running"], ${LOAD_FAILURE}`],
    { timeout: 10_000 },
  );
  const failure = page.locator(LOAD_FAILURE);
  if (await failure.isVisible()) throw new Error(`the page shows a failure:\n${await failure.innerText()}`);
}

/** Runs one comparison; its report and how long it took. */
export async function compare(page, choices) {
  await choose(page, choices);
  const startedAt = performance.now();
  await startRun(page);
  const report = await settled(page);
  return { report, seconds: (performance.now() - startedAt) / 1000 };
}

/** A comparison in one line, with its costs. */
export function inOneLine({ runs, verdict, fork, exposure }, seconds) {
  const warm = runs.find(({ run }) => run === "warm");
  const times = runs.flatMap(({ steps }) => steps.slice(1).map(({ elapsed_ms }) => elapsed_ms));
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return [
    `${warm.prompt_tokens} prompt tokens, ${runs.map(({ steps }) => steps.length).join(" + ")} decoded`,
    `${seconds.toFixed(1)} s, ${median.toFixed(0)} ms a token`,
    `first tokens after ${runs.map((run) => `${(run.time_to_first_token_ms / 1000).toFixed(1)} s`).join(", ")}`,
    `${verdict}${fork ? ` at token ${fork.index + 1}` : ""}, exposure ${exposure}`,
  ].join("; ");
}
