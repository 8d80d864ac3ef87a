// How long one comparison takes in the real page, what it says, and what showing it costs the page's own thread (script, style and layout,
// the longest task): a step for development, not a check.
//   node e2e/measure.mjs                        the comparison that has two minutes: 60-token prompt, 3 × 32 tokens
//   node e2e/measure.mjs Lighthouse 48          a shipped prompt or a text, and tokens per run
//   node e2e/measure.mjs Lighthouse 48 NAME     and screenshots NAME-desktop.png, NAME-phone.png, NAME-bench.png
// LASTBIT_MODELS names the folder with the model file; ORDER and FORMATS change what the page starts with.
import { DESKTOP, launch, PHONE, serve, shot } from "./harness.mjs";
import { compare, inOneLine, openLoaded, SIXTY_TOKEN_PROMPT } from "./steps.mjs";

const [prompt = SIXTY_TOKEN_PROMPT, tokens = "32", name] = process.argv.slice(2);
const { ORDER: order = "By shape", FORMATS: formats = "int8" } = process.env;

/** What the page's thread does from now until it is asked. */
async function beginCosts(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Performance.enable");
  const seconds = async () => {
    const { metrics } = await debug.send("Performance.getMetrics");
    const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return [of("ScriptDuration"), of("LayoutDuration") + of("RecalcStyleDuration")];
  };
  await page.evaluate(() => {
    globalThis.longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        globalThis.longestTask = Math.max(globalThis.longestTask, duration);
      }
    }).observe({ type: "longtask" });
  });
  const before = await seconds();
  return async () => {
    const [script, layout] = (await seconds()).map((now, index) => now - before[index]);
    const longest = await page.evaluate(() => globalThis.longestTask);
    const task = longest === 0 ? "no task over 50 ms" : `longest task ${longest} ms`;
    return `page: ${script.toFixed(2)} s of script, ${layout.toFixed(2)} s of style and layout, ${task}`;
  };
}

const browser = await launch("gpu");
const server = await serve();
try {
  const startedAt = performance.now();
  const { page } = await openLoaded(browser, server.url);
  console.log(`loaded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const costs = await beginCosts(page);
  const { report, seconds } = await compare(page, { prompt, order, formats, tokens });
  console.log(inOneLine(report, seconds));
  console.log(await costs());
  if (name) {
    await shot(page, `${name}-desktop`, { fullPage: true });
    await page.setViewportSize(PHONE.viewport);
    await shot(page, `${name}-phone`, { fullPage: true });
    await page.setViewportSize(DESKTOP.viewport);
    // Controls and outcome alone, at the page's full width.
    const { y, height } = await page.locator(".bench").boundingBox();
    const clip = { x: 0, y, width: DESKTOP.viewport.width, height };
    await shot(page, `${name}-bench`, { fullPage: true, clip });
  }
} finally {
  await browser.close();
  server.close();
}
