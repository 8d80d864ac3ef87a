// The real page with the real engine and model in headless Chromium, from the first visit to every failure.
//   LASTBIT_MODELS  folder with the model file (needed)      SHOTS  where screenshots go, default ../shots
// `node e2e/run.mjs WORD` runs only the checks whose name has WORD in it.
import { copyFile, mkdtemp, open as openFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  accessibilityFaults,
  DESKTOP,
  equal,
  folders,
  lastComparison,
  launch,
  ok,
  open,
  PHONE,
  runAll,
  serve,
  shot,
} from "./harness.mjs";

const MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf";
const LOAD_MS = 180_000;
const RUN_MS = 420_000;

if (!folders.models) {
  console.error("LASTBIT_MODELS must name the folder with the model file (make test sets it).");
  process.exit(2);
}

const gpu = await launch("gpu");
const server = await serve();
let shared = null;

/** One page with a loaded model, used by all checks that only run comparisons. */
async function loadedPage() {
  if (shared) return shared;
  shared = await open(gpu, server.url);
  await shared.page.getByRole("button", { name: /Load the model only/ }).click();
  await stage(shared.page, "Ready", "done");
  return shared;
}

function stage(page, label, state, timeout = LOAD_MS) {
  return page.locator(`.stages li[data-state="${state}"]`, { hasText: label }).waitFor({ timeout });
}

async function choose(page, { order, formats, tokens }) {
  if (order) await page.getByLabel(order, { exact: true }).check({ force: true });
  if (formats) await page.getByLabel(formats, { exact: true }).check({ force: true });
  if (tokens) {
    await page.getByLabel("Tokens per run, at most").fill(String(tokens));
    await page.getByLabel("Tokens per run, at most").blur();
  }
}

const runButton = (page) => page.getByRole("button", { name: "Run cold, cold, warm" });
const settled = (page, timeout = RUN_MS) =>
  page.locator('.result[data-state="done"], .result[data-state="failed"]').waitFor({ timeout });

/** Waits for the end of a run; returns the different lengths of the shown text on the way. */
async function watchStreams(page) {
  const lengths = new Set();
  const started = performance.now();
  while (performance.now() - started < RUN_MS) {
    const [state, length] = await page.evaluate(() => [
      document.querySelector(".result")?.dataset.state,
      [...document.querySelectorAll(".streams .text")].reduce(
        (sum, text) => sum + text.textContent.length,
        0,
      ),
    ]);
    if (state !== "running") return lengths;
    lengths.add(length);
    await page.waitForTimeout(150);
  }
  throw new Error("the comparison did not end in time");
}

/** The page says what the engine reported: verdict, control, exposure, fork and margins. */
async function pageTellsTheReport(page) {
  const report = await lastComparison(page);
  equal(await page.locator(".verdict").getAttribute("data-verdict"), report.verdict, "verdict on the page");
  const control = report.control.same_bits ? "control: cold = cold\u00a0✓" : "✗";
  const controlText = await page.locator('[data-check="control"]').innerText();
  ok(controlText.includes(control), `control on the page: ${controlText}`);
  const warm = report.runs.find(({ run }) => run === "warm");
  equal(
    await page.locator('[data-check="exposure"]').innerText(),
    `warm reused ${warm.reused_tokens} of ${warm.prompt_tokens} prompt tokens\u00a0✓`,
    "exposure on the page",
  );
  equal(await page.locator(".fork-token").count(), report.fork ? 2 : 0, "boxed tokens");
  equal(await page.locator(".arms").isVisible(), report.fork !== null, "arms");
  if (report.fork) {
    const { index, cold_pair_margin, warm_pair_margin } = report.fork;
    equal(await page.locator(".fork-number").first().innerText(), `⟨${index + 1}⟩`, "number of the fork");
    for (const [side, value] of Object.entries({ cold: cold_pair_margin, warm: warm_pair_margin })) {
      const shown = await page.locator(`[data-margin="${side}"] dd`).innerText();
      if (value !== null) {
        const number = Number(shown.replace("\u2212", "-").replace("+", ""));
        ok(Math.abs(number - value) <= 0.006 * Math.abs(value), `${side} margin: ${shown} for ${value}`);
      }
    }
  }
  return report;
}

async function failureShown(page, code, name) {
  const failure = page.locator(`.failure[data-code="${code}"]`);
  await failure.waitFor({ timeout: LOAD_MS });
  for (const words of ["What happened", "What still works", "What to do"]) {
    ok((await failure.innerText()).includes(words), `${code} says: ${words}`);
  }
  equal(await failure.getByRole("button").count(), 1, "next step");
  await shot(page, name, { fullPage: true });
  return failure;
}

async function badModelFolder() {
  const folder = await mkdtemp(join(tmpdir(), "lastbit-"));
  await copyFile(join(folders.models, MODEL), join(folder, MODEL));
  const file = await openFile(join(folder, MODEL), "r+");
  const { size } = await file.stat();
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, size - 1000);
  byte[0] ^= 1;
  await file.write(byte, 0, 1, size - 1000);
  await file.close();
  return folder;
}

await runAll({
  "first visit: nothing is fetched before a click": async () => {
    const visit = await serve();
    for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      const { page, errors, close } = await open(gpu, visit.url, options);
      await stage(page, "GPU", "done");
      await page.getByText(/software GPU/).waitFor();
      await shot(page, `first-${name}`);
      await shot(page, `first-${name}-whole`, { fullPage: true });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(overflow <= 0, `${name} scrolls sideways by ${overflow} px`);
      equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
      await page.emulateMedia({ colorScheme: "dark" });
      await shot(page, `first-${name}-dark`);
      equal((await accessibilityFaults(page)).join("\n"), "", "accessibility in dark mode");
      equal(errors.join("\n"), "", "console errors");
      await close();
    }
    const early = visit.requests.filter(({ url }) => /models|\.wasm/.test(url));
    equal(early.length, 0, "requests for the model or the wasm before a click");
    visit.close();
  },

  "keyboard alone reaches every control and starts the run": async () => {
    const { page, close } = await open(gpu, server.url);
    await stage(page, "GPU", "done");
    const stops = [];
    while (stops.length < 30 && !stops.at(-1)?.name.includes("and run")) {
      await page.keyboard.press("Tab");
      stops.push(
        await page.evaluate(() => {
          const focused = document.activeElement;
          const ring = focused.matches("input[type=radio]") ? focused.nextElementSibling : focused;
          const { outlineStyle, outlineWidth } = getComputedStyle(ring);
          const name = focused.labels?.[0]?.innerText || focused.innerText;
          return { name, ring: outlineStyle === "none" ? 0 : Number.parseFloat(outlineWidth) };
        }),
      );
    }
    for (const name of [
      "only",
      "Lighthouse",
      "Two turns",
      "Message",
      "Same prompt",
      "By shape",
      "int8",
      "Tokens",
    ]) {
      ok(
        stops.some((stop) => stop.name.includes(name)),
        `Tab reaches ${name}: ${stops.map((stop) => stop.name)}`,
      );
    }
    for (const stop of stops) ok(stop.ring >= 2, `${stop.name} has a focus ring of ${stop.ring} px`);
    await page.keyboard.press("Enter");
    await stage(page, "Download", "active");
    await close();
  },

  "load: bytes, then ready, with the verified hash": async () => {
    const { page } = await open(gpu, server.url);
    await page.getByRole("button", { name: /Load the model only/ }).click();
    await page.getByText(/of 98\.4 MB/).waitFor({ timeout: LOAD_MS });
    await shot(page, "loading");
    await stage(page, "Ready", "done");
    await page.getByText("Device, limits, model and self-test").click();
    await page.getByText("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53").waitFor();
    await shot(page, "ready", { fullPage: true });
    await page.context().close();
  },

  "by shape: the page tells what the engine reported, and streams": async () => {
    const { page, errors } = await loadedPage();
    await choose(page, { order: "By shape", formats: "int8", tokens: 24 });
    await runButton(page).click();
    const midway = page.locator('[data-run="warm"][data-state="decoding"]').waitFor({ timeout: RUN_MS });
    const shots = midway.then(() => shot(page, "live-mid", { fullPage: true }));
    const lengths = await watchStreams(page);
    await shots.catch(() => {});
    ok(lengths.size >= 3, `streams grew at ${lengths.size} moments`);
    const report = await pageTellsTheReport(page);
    console.log(`      verdict ${report.verdict}, fork ${report.fork?.index ?? "none"}`);
    equal(report.control.same_bits, true, "control");
    await shot(page, "by-shape", { fullPage: true });
    await page.getByText("Every step as a table").click();
    const rows = await page.locator("table.steps tbody tr").count();
    equal(
      rows,
      Math.max(...report.runs.filter(({ run }) => run !== "cold-b").map(({ steps }) => steps.length)),
      "rows",
    );
    await shot(page, "by-shape-table", { fullPage: true });
    await page.getByText("Every step as a table").click();
    equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(page, "by-shape-dark", { fullPage: true });
    equal((await accessibilityFaults(page)).join("\n"), "", "accessibility in dark mode");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(PHONE.viewport);
    await shot(page, "by-shape-phone", { fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    ok(overflow <= 0, `a phone scrolls sideways by ${overflow} px`);
    await page.setViewportSize(DESKTOP.viewport);
    equal(errors.join("\n"), "", "console errors");
  },

  "invariant: bit-identical, and no arms": async () => {
    const { page, errors } = await loadedPage();
    await choose(page, { order: "Invariant", formats: "int8", tokens: 24 });
    await runButton(page).click();
    await settled(page);
    const report = await pageTellsTheReport(page);
    equal(report.verdict, "bit-identical", "verdict");
    equal(report.order, "invariant", "order");
    await shot(page, "bit-identical", { fullPage: true });
    equal(errors.join("\n"), "", "console errors");
  },

  "second turn: the kept reply is shown, and the warm run reuses it": async () => {
    const { page, errors } = await loadedPage();
    await choose(page, { order: "By shape", formats: "int8", tokens: 8 });
    await page.getByRole("button", { name: "Two turns" }).click();
    await runButton(page).click();
    await settled(page);
    const report = await pageTellsTheReport(page);
    const [first] = report.runs;
    equal(first.run, "first-turn", "first run");
    ok((await page.locator(".first-reply").innerText()).trim() !== "", "the reply is shown");
    await shot(page, "second-turn", { fullPage: true });
    equal(errors.join("\n"), "", "console errors");
  },

  "stop: partial text stays, and the next run needs no reload": async () => {
    const { page, errors } = await loadedPage();
    await choose(page, { tokens: 200 });
    await page.getByRole("button", { name: "Lighthouse" }).click();
    await runButton(page).click();
    await page.locator('[data-run="cold-a"][data-state="decoding"]').waitFor({ timeout: RUN_MS });
    await page.getByRole("button", { name: "Stop" }).click();
    await settled(page, 20_000);
    equal(await page.locator(".verdict").getAttribute("data-verdict"), "cancelled", "verdict");
    ok((await page.locator(".trunk .text").innerText()).trim().length > 0, "partial text stays");
    await shot(page, "stopped", { fullPage: true });
    await choose(page, { tokens: 4 });
    await runButton(page).click();
    await settled(page);
    ok((await page.locator(".verdict").getAttribute("data-verdict")) !== "cancelled", "a new verdict");
    equal(errors.join("\n"), "", "console errors");
  },

  "lost device: words, partial text, and a way back": async () => {
    const { page } = await open(gpu, `${server.url}?gpu=lost`);
    await page.getByRole("button", { name: /Load 98\.4 MB and run/ }).click();
    const failure = await failureShown(page, "device-lost", "lost");
    ok((await page.locator(".trunk .text").innerText()).trim().length > 0, "partial text stays");
    await failure.getByRole("button").click();
    await stage(page, "Ready", "done");
    await choose(page, { tokens: 4 });
    await runButton(page).click();
    await settled(page);
    await pageTellsTheReport(page);
    await page.context().close();
  },

  "wrong bytes: the hash is refused with a way back": async () => {
    const models = await badModelFolder();
    const bad = await serve({ models });
    const { page } = await open(gpu, bad.url);
    await page.getByRole("button", { name: /Load the model only/ }).click();
    await failureShown(page, "hash-mismatch", "bad-hash");
    await copyFile(join(folders.models, MODEL), join(models, MODEL));
    await page.locator(".failure").getByRole("button").click();
    await stage(page, "Ready", "done");
    await page.context().close();
    bad.close();
    await rm(models, { recursive: true });
  },

  "cut download: it goes on from the byte where it stopped": async () => {
    let isCut = false;
    const cutting = await serve({
      wrap: (request, response) => {
        if (isCut || !request.url.startsWith("/models/")) return false;
        isCut = true;
        const write = response.write.bind(response);
        let sent = 0;
        response.write = (chunk, ...rest) => {
          sent += chunk.length;
          if (sent > 30_000_000) response.destroy();
          return write(chunk, ...rest);
        };
        return false;
      },
    });
    const { page } = await open(gpu, cutting.url);
    await page.getByRole("button", { name: /Load the model only/ }).click();
    const failure = await failureShown(page, "download-cut", "cut-download");
    await failure.getByRole("button", { name: "Continue the download" }).click();
    await stage(page, "Ready", "done");
    const [, second] = cutting.requests.filter(({ url }) => url.startsWith("/models/"));
    ok(/^bytes=[1-9]\d*-$/.test(second.range ?? ""), `second request asks for the rest: ${second.range}`);
    await page.context().close();
    cutting.close();
  },

  "cancelled download: stops, and goes on": async () => {
    const { page } = await open(gpu, server.url);
    await page.getByRole("button", { name: /Load the model only/ }).click();
    await page.getByRole("button", { name: "Cancel" }).click({ timeout: LOAD_MS });
    const failure = await failureShown(page, "download-cancelled", "cancelled-download");
    await failure.getByRole("button", { name: "Continue the download" }).click();
    await stage(page, "Ready", "done");
    await page.context().close();
  },

  "no adapter, no WebGPU, insecure address: each has its own words": async () => {
    const off = await open(gpu, `${server.url}?gpu=off`);
    await failureShown(off.page, "no-webgpu", "gpu-off");
    await off.close();

    const withoutAdapter = await launch("noAdapter");
    const none = await open(withoutAdapter, server.url, PHONE);
    await failureShown(none.page, "no-adapter", "gpu-none");
    equal(none.errors.join("\n"), "", "console errors");
    await withoutAdapter.close();

    const insecure = await launch("insecure");
    const http = await open(insecure, `http://app.test:${server.port}/`);
    await failureShown(http.page, "insecure-origin", "gpu-insecure");
    await insecure.close();
  },
});

await gpu.close();
server.close();
