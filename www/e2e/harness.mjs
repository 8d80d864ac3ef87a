// Chromium, servers and a few checks for the end-to-end run.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { handle, listen } from "../server.mjs";

const QUIET = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The kinds of browser a visitor may have, as launch flags. */
export const PROFILES = {
  gpu: [...QUIET, "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
  noAdapter: QUIET,
  insecure: [...QUIET, "--host-resolver-rules=MAP app.test 127.0.0.1"],
};

export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

export const folders = {
  dist: process.env.LASTBIT_DIST ?? fileURLToPath(new URL("../dist", import.meta.url)),
  models: process.env.LASTBIT_MODELS,
  shots: process.env.SHOTS ?? fileURLToPath(new URL("../../shots", import.meta.url)),
};

export function launch(profile) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: PROFILES[profile],
  });
}

/** A server on a free port, with its requests; `wrap` may answer some of them itself. */
export async function serve({ models = folders.models, dist = folders.dist, wrap } = {}) {
  const requests = [];
  const server = await listen(0, { dist, models }, async (request, response, served) => {
    requests.push({ url: request.url, range: request.headers.range });
    if (wrap && (await wrap(request, response))) return;
    await handle(request, response, served);
  });
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}/`, port, requests, close: () => server.close() };
}

/** Opens a page that records console errors and everything the worker answers. */
export async function open(browser, url, options = DESKTOP) {
  const context = await browser.newContext({ reducedMotion: "reduce", colorScheme: "light", ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.addInitScript(() => {
    globalThis.responses = [];
    globalThis.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        this.addEventListener("message", ({ data }) => {
          // What was stopped before there was anything to tell has no result.
          if (data.kind === "done" && data.result !== null) globalThis.responses.push(data.result);
        });
      }
    };
  });
  await page.goto(url);
  return { page, errors, close: () => context.close() };
}

/** The engine's newest comparison report, as it crossed from the worker. */
export function lastComparison(page) {
  return page.evaluate(() => globalThis.responses.findLast((result) => "verdict" in result));
}

export async function shot(page, name, options = {}) {
  await mkdir(folders.shots, { recursive: true });
  // Nothing looks hovered.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folders.shots, `${name}.png`), ...options });
}

/** Violations of WCAG 2.2 A and AA, as short lines: of all that can be unfolded as well. */
export async function accessibilityFaults(page) {
  await page.evaluate(async () => {
    globalThis.unfolded = [...document.querySelectorAll("details:not([open])")];
    for (const details of globalThis.unfolded) details.open = true;
    // What is measured or drawn once it is unfolded.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
  // Evaluated by the debugger, which the page's policy does not bind.
  const axe = new URL("../node_modules/axe-core/axe.min.js", import.meta.url);
  await page.evaluate(await readFile(axe, "utf8"));
  return page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations } = await globalThis.axe.run(document, { runOnly: tags });
    for (const details of globalThis.unfolded) details.open = false;
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, any }) => `${id} at ${target}: ${any[0]?.message}`),
    );
  });
}

/** Light, dark and a phone's width of what is on show. */
export async function lookAt(page, name) {
  await shot(page, name, { fullPage: true });
  equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, `${name}-dark`, { fullPage: true });
  equal((await accessibilityFaults(page)).join("\n"), "", "accessibility in dark mode");
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE.viewport);
  await shot(page, `${name}-phone`, { fullPage: true });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  ok(overflow <= 0, `a phone scrolls sideways by ${overflow} px`);
  await page.setViewportSize(DESKTOP.viewport);
}

export function equal(found, expected, what) {
  if (found !== expected)
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

/** Runs the named checks one after the other and ends with the line that test counters look for. */
export async function runAll(checks) {
  const words = process.argv.slice(2);
  let passed = 0;
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    const startedAt = performance.now();
    try {
      await check();
      passed += 1;
      console.log(`ok    ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}\n      ${error.stack}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
