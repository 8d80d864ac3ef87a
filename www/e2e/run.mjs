// The real page with the real engine and model in headless Chromium, from the first visit to every failure.
//   LASTBIT_MODELS  folder with the model file (needed)      SHOTS  where screenshots go, default ../shots
// `node e2e/run.mjs WORD` runs only the checks whose name has WORD in it.
import { copyFile, mkdtemp, open as openFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { badInputChecks } from "./bad-inputs.mjs";
import {
  accessibilityFaults,
  DESKTOP,
  equal,
  folders,
  launch,
  lookAt,
  ok,
  open,
  PHONE,
  runAll,
  serve,
  shot,
} from "./harness.mjs";
import { languageChecks } from "./language.mjs";
import { lessonChecks } from "./lesson.mjs";
import { modelsChecks } from "./models.mjs";
import { ownModelChecks } from "./own-models.mjs";
import { presentationChecks } from "./presentation.mjs";
import { savedFigure, setUpChecks } from "./set-up.mjs";
import {
  choose,
  compare,
  failure,
  inOneLine,
  openLoaded,
  runState,
  SIXTY_TOKEN_PROMPT,
  settled,
  stage,
  startLoad,
  startRun,
  takeTheWayOut,
} from "./steps.mjs";

const CPU_OFFER = "Run it on the CPU: slow, same arithmetic";
const MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf";

if (!folders.models) {
  console.error("LASTBIT_MODELS must name the folder with the model file (make test sets it).");
  process.exit(2);
}

const gpu = await launch("gpu");
const server = await serve();
let shared = null;

/** One page with a loaded model, used by all checks that only run comparisons. */
async function loadedPage() {
  shared ??= await openLoaded(gpu, server.url);
  await shared.page.getByRole("link", { name: "Run", exact: true }).click();
  return shared;
}

/** Counts the different lengths that the shown text has until the comparison ends. */
async function lengthsUntil(page, end) {
  const lengths = new Set();
  let hasEnded = false;
  const report = end.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const texts = await page.locator("#app .streams .text").allTextContents();
    lengths.add(texts.join("").length);
    await page.waitForTimeout(150);
  }
  await report;
  return lengths.size;
}

/** The page says what the engine reported: verdict, control, exposure, fork and margins. */
async function pageTells(page, report) {
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
  equal(await page.locator("#app .fork-token").count(), report.fork ? 2 : 0, "boxed tokens");
  equal(await page.locator("#app .arms").isVisible(), report.fork !== null, "arms");
  if (report.fork) {
    const { index, cold_pair_margin, warm_pair_margin } = report.fork;
    equal(
      await page.locator("#app .fork-number").first().innerText(),
      `⟨${index + 1}⟩`,
      "number of the fork",
    );
    for (const [side, value] of Object.entries({ cold: cold_pair_margin, warm: warm_pair_margin })) {
      const shown = await page.locator(`[data-margin="${side}"] dd`).innerText();
      if (value !== null) {
        const number = Number(shown.replace("\u2212", "-").replace("+", ""));
        ok(Math.abs(number - value) <= 0.006 * Math.abs(value), `${side} margin: ${shown} for ${value}`);
      }
    }
  }
}

/** A failure that says all it must; its screenshot. */
async function failureTells(page, code, name) {
  const shown = await failure(page, code);
  for (const words of ["What happened", "What still works", "What to do"]) {
    ok((await shown.innerText()).includes(words), `${code} says: ${words}`);
  }
  equal(await shown.getByRole("button").count(), 1, "next step");
  await shot(page, name, { fullPage: true });
  return shown;
}

/** The table, dark mode and a phone's width of a finished comparison, each with its accessibility or overflow. */
async function lookAtResult(page, name, report) {
  const table = page.getByText("Every step as a table");
  await table.click();
  const lengths = report.runs.filter(({ run }) => run !== "cold-b").map(({ steps }) => steps.length);
  equal(await page.locator("table.steps tbody tr").count(), Math.max(...lengths), "rows of the table");
  await shot(page, `${name}-table`, { fullPage: true });
  await table.click();
  await lookAt(page, name);
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
      await page
        .locator("#app")
        .getByText(/software GPU/)
        .waitFor();
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

  "the recorded fork is whole in the first view, also without scripts": async () => {
    for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      for (const javaScriptEnabled of [true, false]) {
        const context = await gpu.newContext({ ...options, javaScriptEnabled });
        const page = await context.newPage();
        await page.goto(server.url);
        const take = (order) => page.locator(`.take[data-order="${order}"]`);
        ok((await take("by-shape").innerText()).includes("They split at token 11"), "the verdict");
        for (const token of await take("by-shape").locator(".fork-token").all()) {
          const { y, height } = await token.boundingBox();
          ok(y + height <= options.viewport.height, `${name}: the boxed tokens end at ${y + height} px`);
        }
        equal(await take("invariant").isVisible(), false, "the other order");
        await shot(page, `recorded-${name}${javaScriptEnabled ? "" : "-nojs"}`);
        await page.getByLabel("Invariant (one order)").check({ force: true });
        ok((await take("invariant").innerText()).includes("Identical to the last bit"), "the other verdict");
        equal(await take("by-shape").isVisible(), false, "the fork");
        await context.close();
      }
    }
    const { page, close } = await open(gpu, server.url);
    await stage(page, "GPU", "done");
    const bytes = await page.evaluate(() =>
      ["navigation", "resource"]
        .flatMap((type) => performance.getEntriesByType(type))
        .reduce((sum, { transferSize }) => sum + transferSize, 0),
    );
    ok(bytes < 300_000, `the first view took ${bytes} bytes`);
    await close();
  },

  "keyboard alone reaches every control and starts the run": async () => {
    const { page, close } = await open(gpu, server.url);
    await stage(page, "GPU", "done");
    const stops = [];
    while (stops.length < 50 && !stops.at(-1)?.name.includes("and run")) {
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
    shared = await open(gpu, server.url);
    const { page } = shared;
    await startLoad(page);
    await page.getByText(/[3-9]\d\.\d of 98\.4 MB/).waitFor();
    await shot(page, "loading");
    await stage(page, "Ready", "done");
    const details = page.getByText("Device, limits, model and self-test");
    await details.click();
    await page.getByText("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53").waitFor();
    const template = page.locator("dt", { hasText: "Chat template's SHA-256" }).locator("+ dd");
    ok(/^[0-9a-f]{64}$/.test(await template.innerText()), "the chat template's hash is shown");
    const line = await page.locator(".load-line > p").innerText();
    ok(/^SmolLM2-135M-Instruct Q4_1 on \S+/.test(line), `model and adapter have names: ${line}`);
    await shot(page, "ready", { fullPage: true });
    await details.click();
  },

  "by shape, 60-token prompt, 3 × 32 tokens: the page tells what the engine reported, and streams":
    async () => {
      const { page, errors } = await loadedPage();
      await choose(page, { prompt: SIXTY_TOKEN_PROMPT, order: "By shape", formats: "int8", tokens: 32 });
      const startedAt = performance.now();
      await startRun(page);
      // Any of the later tokens: on a busy machine the page may go from one to the one after next between two looks.
      const midway = runState(page, "warm", "decoding", /writing token [1-3]\d/).then(() =>
        shot(page, "streaming", { fullPage: true }),
      );
      const ended = settled(page);
      const [n_lengths] = await Promise.all([lengthsUntil(page, ended), midway]);
      const report = await ended;
      console.log(`      ${inOneLine(report, (performance.now() - startedAt) / 1000)}`);
      ok(n_lengths >= 10, `streams grew at ${n_lengths} moments`);
      await pageTells(page, report);
      equal(report.control.same_bits, true, "control");
      equal(report.runs[0].prompt_tokens, 60, "prompt tokens");
      await shot(page, "by-shape", { fullPage: true });
      await lookAtResult(page, "by-shape", report);
      equal(errors.join("\n"), "", "console errors");
    },

  "by shape, a shipped prompt": async () => {
    const { page, errors } = await loadedPage();
    const choices = { prompt: "Lighthouse", order: "By shape", formats: "int8", tokens: 16 };
    const { report, seconds } = await compare(page, choices);
    console.log(`      ${inOneLine(report, seconds)}`);
    await pageTells(page, report);
    equal(report.control.same_bits, true, "control");
    ok(report.first_differing_logits !== null, "by shape, some bit differs");
    equal(errors.join("\n"), "", "console errors");
  },

  "why: the first different bit, the margins and the caches of the comparison on show": async () => {
    const { page, errors } = await loadedPage();
    const { report } = await compare(page, {
      prompt: "Lighthouse",
      order: "By shape",
      formats: "int8",
      tokens: 4,
    });
    await page.getByRole("link", { name: "Take it apart" }).click();
    await page.getByRole("button", { name: "Take it apart" }).click();
    await page.locator(".why-offer").getByRole("button", { name: "Stop" }).waitFor();
    const sentence = page.locator(".why-sentence");
    await sentence.waitFor({ timeout: 240_000 });
    ok(
      /^First different bit: layer 0, Q of position \d+, /.test(await sentence.innerText()),
      await sentence.innerText(),
    );
    const found = await page.evaluate(() => globalThis.responses.findLast((result) => "kv_map" in result));
    equal(found.prompt_ids.length, report.prompt.length, "tokens of the prompt");
    equal(found.fork?.index ?? null, report.fork?.index ?? null, "the fork, run again side by side");
    equal(found.reused_tokens, report.exposure, "tokens reused");
    equal(await page.locator(".margin-path circle").count(), found.steps.length, "steps in the figure");
    const tree = page.getByRole("tree");
    equal(await tree.locator("[data-reused=false]").count(), 1, "computed stretches");
    const reused = await tree
      .locator("[data-reused=true]")
      .evaluateAll((items) => items.reduce((sum, { dataset }) => sum + Number(dataset.positions), 0));
    equal(reused, report.exposure, "positions of the reused stretches");
    equal(await tree.locator(".seam").count(), 1, "seams");
    await tree.getByRole("treeitem").first().focus();
    for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    await page.waitForFunction(() => document.activeElement?.dataset.key === "0.0");
    await shot(page, "tree", { fullPage: true });
    await page.keyboard.press("ArrowLeft");
    const canvas = page.locator(".heat-map canvas");
    await canvas.focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press("ArrowRight");
    const last = found.prompt_ids.length - 1 + Math.min(2, found.decoded_ids.length);
    ok(
      (await page.locator(".heat-readout").innerText()).startsWith(`Layer 0, position ${last} `),
      "the cell cursor",
    );
    await page.getByText("Keys as a table, in f16 steps").click();
    await page.locator(".heat-table").waitFor();
    equal(
      await page.locator(".heat-table td").count(),
      found.kv_map.k.largest_ulp.length * found.kv_map.k.largest_ulp[0].length,
      "cells of the table",
    );
    await page.getByText("Keys as a table, in f16 steps").click();
    const heat = await savedFigure(page, page.locator(".heat-map"));
    const cells = found.kv_map.k.largest_ulp.length * found.kv_map.k.largest_ulp[0].length;
    equal(heat.svg.match(/<rect /g).length, 1 + cells, "cells of the saved heat map");
    const margins = await savedFigure(page, page.locator(".margin-path"));
    equal(margins.svg.match(/<circle /g).length, found.steps.length, "steps of the saved margins");
    equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
    await shot(page, "why", { fullPage: true });
    equal(errors.join("\n"), "", "console errors");
  },

  "why: the orders of addition are changed site by site, and a stop keeps what is known": async () => {
    const { page, errors } = await loadedPage();
    await compare(page, { prompt: "One.", order: "By shape", formats: "int8", tokens: 1 });
    await page.getByRole("link", { name: "Take it apart" }).click();
    await page.getByRole("button", { name: "Change the order, place by place" }).click();
    await page.getByText(/^[3-9] of 22 choices of orders tried/).waitFor({ timeout: 240_000 });
    await page.locator(".why-offer").getByRole("button", { name: "Stop" }).click();
    await page.locator(".ablation table").waitFor({ timeout: 60_000 });
    const found = await page.evaluate(() => globalThis.responses.findLast((result) => "cases" in result));
    equal(found.invariant.first_differing, null, "every site invariant: equal bits");
    ok(found.by_shape.first_differing !== null, "every site by shape: other bits");
    equal(await page.locator(".ablation tbody tr").count(), 1 + found.cases.length, "rows of the table");
    await shot(page, "ablation", { fullPage: true });
    equal(errors.join("\n"), "", "console errors");
  },

  "invariant: bit-identical, and no arms": async () => {
    const { page, errors } = await loadedPage();
    const choices = { prompt: SIXTY_TOKEN_PROMPT, order: "Invariant", formats: "int8", tokens: 16 };
    const { report, seconds } = await compare(page, choices);
    console.log(`      ${inOneLine(report, seconds)}`);
    await pageTells(page, report);
    equal(report.verdict, "bit-identical", "verdict");
    equal(report.order, "invariant", "order");
    await shot(page, "bit-identical", { fullPage: true });
    equal(errors.join("\n"), "", "console errors");
  },

  "second turn: the kept reply is shown, and the warm run reuses it": async () => {
    const { page, errors } = await loadedPage();
    const choices = { prompt: "Two turns", order: "By shape", formats: "int8", tokens: 4 };
    const { report, seconds } = await compare(page, choices);
    console.log(`      ${inOneLine(report, seconds)}`);
    await pageTells(page, report);
    const [first] = report.runs;
    equal(first.run, "first-turn", "first run");
    ok(report.exposure > first.prompt_tokens, `warm reused ${report.exposure} tokens, the reply among them`);
    ok((await page.locator(".first-reply").innerText()).trim() !== "", "the reply is shown");
    await page.locator(".sent > summary").click();
    const sent = (await page.locator(".sent > pre").innerText()).split("\n");
    equal(sent.length, report.runs.at(-1).prompt_tokens, "tokens shown as sent");
    ok(/^ *1 {2}"<\|im_start\|>" {2}control$/.test(sent[0]), `the first token sent: ${sent[0]}`);
    await shot(page, "second-turn", { fullPage: true });
    await page.locator(".sent > summary").click();
    equal(errors.join("\n"), "", "console errors");
  },

  "stop: partial text stays, and the next run needs no reload": async () => {
    const { page, errors } = await loadedPage();
    await choose(page, { prompt: "Lighthouse", tokens: 200 });
    await startRun(page);
    await runState(page, "cold-a", "decoding");
    await page.getByRole("button", { name: "Stop" }).click();
    await settled(page, 20_000);
    equal(await page.locator(".verdict").getAttribute("data-verdict"), "cancelled", "verdict");
    ok((await page.locator("#app .trunk .text").innerText()).trim().length > 0, "partial text stays");
    await shot(page, "stopped", { fullPage: true });
    const { report } = await compare(page, { tokens: 2 });
    await pageTells(page, report);
    equal(errors.join("\n"), "", "console errors");
  },

  "long message: the engine's own words, and the next run needs no reload": async () => {
    const { page, errors } = await loadedPage();
    await choose(page, { prompt: "the sea and the lamp ".repeat(2000), tokens: 2 });
    await page.getByRole("button", { name: "Run cold, cold, warm" }).click();
    const full = await failureTells(page, "context-full", "context-full");
    ok(/\d/.test(await full.innerText()), "the words have numbers");
    const status = await page.getByRole("status").innerText();
    ok(status.startsWith("The comparison broke off"), `status: ${status}`);
    const { report } = await compare(page, { prompt: "Lighthouse", tokens: 2 });
    await pageTells(page, report);
    equal(errors.join("\n"), "", "console errors");
  },

  "B151: a device that is lost is replaced once, and what was there comes out again bit by bit": async () => {
    const { page } = await open(gpu, `${server.url}?gpu=lost`);
    await page.getByRole("button", { name: /Load 98\.4 MB and run/ }).click();
    await page.getByText("The GPU went away. The same steps are run once more").waitFor({ timeout: 120_000 });
    await shot(page, "gpu-lost");
    const report = await settled(page);
    await page.getByText("every bit of their logits is the same").waitFor();
    await pageTells(page, report);
    await shot(page, "gpu-replayed", { fullPage: true });
    await page.context().close();
  },

  "B157: an engine that breaks down is replaced, the text stays, and the next run needs no reload":
    async () => {
      const { page } = await open(gpu, `${server.url}?engine=crash`);
      await page.getByRole("button", { name: /Load 98\.4 MB and run/ }).click();
      const crashed = await failureTells(page, "engine-crashed", "crashed");
      ok(
        (await page.locator("#app .streams .text").allTextContents()).join("").length > 10,
        "the text so far",
      );
      await crashed.getByRole("button").click();
      await stage(page, "Ready", "done");
      const { report } = await compare(page, { prompt: "Lighthouse", tokens: 2 });
      await pageTells(page, report);
      await page.context().close();
    },

  "B152: a device that is lost twice makes no loop: words, partial text, and a way back": async () => {
    const { page } = await open(gpu, `${server.url}?gpu=lost-twice`);
    await page.getByRole("button", { name: /Load 98\.4 MB and run/ }).click();
    const lost = await failureTells(page, "device-gone", "gpu-gone");
    ok((await page.locator("#app .trunk .text").innerText()).trim().length > 0, "partial text stays");
    await lost.getByRole("button").click();
    await stage(page, "Ready", "done");
    const { report } = await compare(page, { tokens: 2 });
    await pageTells(page, report);
    await page.context().close();
  },

  "B131: wrong bytes: the hash is refused with a way back": async () => {
    const models = await badModelFolder();
    const bad = await serve({ models });
    const { page } = await open(gpu, bad.url);
    await startLoad(page);
    const refused = await failureTells(page, "hash-mismatch", "bad-hash");
    await copyFile(join(folders.models, MODEL), join(models, MODEL));
    await takeTheWayOut(refused);
    await stage(page, "Ready", "done");
    await page.context().close();
    bad.close();
    await rm(models, { recursive: true });
  },

  "B067: bad block: what arrived is dropped, and the next try starts anew": async () => {
    let isBad = true;
    const spoiling = await serve({
      wrap: (request, response) => {
        if (!isBad || !request.url.startsWith("/models/")) return false;
        isBad = false;
        const write = response.write.bind(response);
        let sent = 0;
        response.write = (chunk, ...rest) => {
          const [from, to] = [60_000_000, 60_400_000].map((byte) => Math.max(byte - sent, 0));
          sent += chunk.length;
          return write(
            from < chunk.length ? Buffer.from(chunk).fill(0xff, from, Math.min(to, chunk.length)) : chunk,
            ...rest,
          );
        };
        return false;
      },
    });
    const { page } = await open(gpu, spoiling.url);
    await startLoad(page);
    const refused = await failureTells(page, "bad-file", "bad-block");
    equal(await refused.getByRole("button").innerText(), "Download it again", "the way out");
    await takeTheWayOut(refused);
    await stage(page, "Ready", "done");
    const [, second] = spoiling.requests.filter(({ url }) => url.startsWith("/models/"));
    equal(second.range, "bytes=0-", "range of the second request");
    await page.context().close();
    spoiling.close();
  },

  "B125: cut download: it goes on from the byte where it stopped": async () => {
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
    await startLoad(page);
    const cut = await failureTells(page, "download-cut", "cut-download");
    equal(await cut.getByRole("button").innerText(), "Continue the download", "the way out");
    await takeTheWayOut(cut);
    await stage(page, "Ready", "done");
    const [, second] = cutting.requests.filter(({ url }) => url.startsWith("/models/"));
    ok(/^bytes=[1-9]\d*-$/.test(second.range ?? ""), `second request asks for the rest: ${second.range}`);
    await page.context().close();
    cutting.close();
  },

  "B133: cancelled download: stops, and goes on": async () => {
    const { page } = await open(gpu, server.url);
    await startLoad(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    const cancelled = await failureTells(page, "download-cancelled", "cancelled-download");
    await takeTheWayOut(cancelled);
    await stage(page, "Ready", "done");
    await page.context().close();
  },

  "no adapter, no WebGPU, insecure address: each has its own words": async () => {
    const off = await open(gpu, `${server.url}?gpu=off`);
    await failureTells(off.page, "no-webgpu", "gpu-off");
    await off.close();

    const withoutAdapter = await launch("noAdapter");
    const none = await open(withoutAdapter, server.url, PHONE);
    await failureTells(none.page, "no-adapter", "gpu-none");
    equal(none.errors.join("\n"), "", "console errors");
    await withoutAdapter.close();

    const insecure = await launch("insecure");
    const http = await open(insecure, `http://app.test:${server.port}/`);
    await failureTells(http.page, "insecure-origin", "gpu-insecure");
    equal(await http.page.getByRole("button", { name: CPU_OFFER }).isEnabled(), true, "the offer of the CPU");
    await insecure.close();
  },

  "no GPU: the CPU twin loads the model, gives a verdict, stops, changes its settings, and leads back":
    async () => {
      const withoutAdapter = await launch("noAdapter");
      const { page, errors } = await open(withoutAdapter, server.url);
      await failure(page, "no-adapter");
      equal(
        await page.getByRole("button", { name: /and run/ }).isDisabled(),
        true,
        "the GPU's button is off",
      );
      equal((await accessibilityFaults(page)).join("\n"), "", "accessibility of the offer");
      await shot(page, "twin-offer", { fullPage: true });
      await page.setViewportSize(PHONE.viewport);
      await shot(page, "twin-offer-phone", { fullPage: true });
      await page.setViewportSize(DESKTOP.viewport);

      await choose(page, { prompt: "Bread", tokens: 4 });
      await page.getByRole("button", { name: CPU_OFFER }).click();
      await stage(page, "Ready", "done");
      const startedAt = performance.now();
      const report = await settled(page);
      console.log(`      ${inOneLine(report, (performance.now() - startedAt) / 1000)}`);
      await pageTells(page, report);
      equal(report.control.same_bits, true, "control");
      ok(report.first_differing_logits !== null, "by shape, some bit differs");
      ok(
        report.runs.every(
          ({ kernels }) => kernels.length > 0 && kernels.every((name) => /^twin of /.test(name)),
        ),
        "only twins ran",
      );
      equal(await page.locator(".failure, .offer").count(), 0, "failures and offers on show");
      const line = await page.locator(".load-line").innerText();
      ok(/^SmolLM2-135M-Instruct Q4_1 on the CPU twin · no GPU/.test(line), `what computes: ${line}`);
      ok((await page.locator(".result").innerText()).includes("no GPU took part"), "the result says so");
      await shot(page, "twin-done", { fullPage: true });
      await lookAtResult(page, "twin-done", report);

      // Stop in the middle of the one step that reads the prompt, and while it writes.
      await choose(page, { tokens: 200 });
      await startRun(page);
      await runState(page, "cold-a", "prefill");
      await page.getByRole("button", { name: "Stop" }).click();
      equal((await settled(page, 60_000)).runs[0].steps.length, 0, "tokens before the prompt was read");
      await startRun(page);
      await runState(page, "cold-a", "decoding");
      const n_tokens = () => page.locator("#app .trunk .token").count();
      await page.getByRole("button", { name: "Stop" }).click();
      const [n_then, stoppedAt] = [await n_tokens(), performance.now()];
      equal((await settled(page, 60_000)).verdict, "cancelled", "verdict after Stop");
      console.log(`      stopped after ${(performance.now() - stoppedAt).toFixed(0)} ms`);
      const n_more = (await n_tokens()) - n_then;
      ok(n_more <= 1, `after Stop ${n_more} tokens were added`);

      const invariant = await compare(page, { order: "Invariant", formats: "f32", tokens: 2 });
      await pageTells(page, invariant.report);
      equal(invariant.report.verdict, "bit-identical", "verdict in order invariant");
      equal(invariant.report.formats, "f32", "formats");

      equal(errors.join("\n"), "", "console errors");
      await page.getByRole("button", { name: "Look for a GPU again" }).click();
      await failure(page, "no-adapter");
      await page.getByRole("button", { name: CPU_OFFER }).waitFor();
      await withoutAdapter.close();
    },

  ...presentationChecks({ gpu, server }),

  ...languageChecks(gpu, server),

  ...setUpChecks({ gpu, server, loadedPage }),

  ...ownModelChecks(gpu, server),

  ...modelsChecks(gpu, server),

  ...badInputChecks({ gpu, server, loadedPage }),

  ...lessonChecks(gpu, server),
});

await gpu.close();
server.close();
