// The first visit: what is there before a click, without scripts, and by keyboard alone.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { accessibilityFaults, DESKTOP, equal, folders, ok, open, PHONE, serve, shot } from "./harness.mjs";
import { stage } from "./steps.mjs";

/** Bytes of built files, each packed by itself. */
function packedBytes(paths) {
  return paths
    .map((path) => gzipSync(readFileSync(join(folders.dist, path)), { level: 9 }).length)
    .reduce((sum, length) => sum + length, 0);
}

export function firstVisitChecks({ gpu, server }) {
  return {
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
      const early = visit.requests.filter(({ url }) => /\/models\/|\.wasm/.test(url));
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
          const next = await page.getByRole("link", { name: "Run it on your machine" }).boundingBox();
          const foot = name === "phone" ? next.y : options.viewport.height;
          for (const token of await take("by-shape").locator(".fork-token").all()) {
            const { y, height } = await token.boundingBox();
            ok(y + height <= foot, `${name}: the boxed tokens end at ${y + height} of ${foot} px`);
          }
          if (name === "phone") {
            const end = next.y + next.height;
            ok(end <= options.viewport.height, `the next step ends at ${end} px`);
          }
          for (const needsScripts of [".views", ".status-bar"]) {
            const isShown = await page.locator(needsScripts).isVisible();
            equal(isShown, javaScriptEnabled, `${needsScripts} is there where it does something`);
          }
          equal(await take("invariant").isVisible(), false, "the other order");
          await shot(page, `recorded-${name}${javaScriptEnabled ? "" : "-nojs"}`);
          await page.getByLabel("Invariant (one order)").check({ force: true });
          ok(
            (await take("invariant").innerText()).includes("Identical to the last bit"),
            "the other verdict",
          );
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
      const scripts = await page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .map(({ name }) => new URL(name).pathname)
          .filter((path) => path.endsWith(".js")),
      );
      const names = scripts.join(" ");
      for (const part of ["/index-", "/engine-worker-"])
        ok(names.includes(part), `${part} is counted: ${names}`);
      ok(!names.includes("/calls-"), "what the worker answers beside the GPU's name comes later");
      const packed = packedBytes([...new Set([...scripts, "/service-worker.js"])]);
      ok(packed <= 60_000, `the first view's scripts are ${packed} bytes packed`);
      const modules = readdirSync(join(folders.dist, "assets")).filter((name) => name.endsWith(".wasm"));
      equal(modules.length, 2, "the engine and what renders templates");
      const wasm = packedBytes(modules.map((name) => `assets/${name}`));
      ok(wasm <= 1_100_000, `both engines are ${wasm} bytes packed`);
      console.log(`      first view: ${bytes} bytes, of them ${packed} of scripts; later ${wasm} of wasm`);
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
  };
}
