// The view Why of a comparison: where it forks, which order of addition makes it, and how far equal bits go.
import { accessibilityFaults, equal, launch, lookAt, ok, open, PHONE, shot } from "./harness.mjs";
import { compare, SIXTY_TOKEN_PROMPT } from "./steps.mjs";
import { savedFigure } from "./tells.mjs";
import { tinyPage } from "./tiny-page.mjs";

/** What can speak up by itself while a person reads elsewhere. */
const SPEAKERS = "[role=status], output, [aria-live]";

/** `loadedPage` gives a page with the built-in model. */
export function whyChecks({ gpu, server, loadedPage }) {
  return {
    "why: without a GPU the recorded fork stands there, taken apart": async () => {
      const browser = await launch("noAdapter");
      try {
        const { page, errors, close } = await open(browser, server.url);
        const asked = [];
        page.on("request", (request) => asked.push(new URL(request.url()).pathname));
        const isAsked = () => asked.includes("/recorded/dissection.json");
        equal(isAsked(), false, "the dissection is fetched before Why is opened");
        await page.getByRole("link", { name: "Why", exact: true }).click();
        const sentence = page.locator(".why-sentence");
        await sentence.waitFor();
        equal(isAsked(), true, "the dissection is fetched");
        ok(
          /^First different bit: layer 0, Q of position 39, /.test(await sentence.innerText()),
          "its origin",
        );
        ok((await page.locator(".why").innerText()).includes("on a software GPU (llvmpipe"), "its device");
        equal(await page.locator(".margin-path .scroll circle").count(), 11, "steps up to the fork");
        equal(await page.getByRole("tree").locator(".seam").count(), 1, "seams");
        equal(await page.locator(".heat-map canvas").count(), 1, "heat maps");
        equal(
          await page
            .locator(".why")
            .getByRole("button", { name: /Take it apart|Go on/ })
            .count(),
          0,
          "runs",
        );
        equal(await page.locator(SPEAKERS).count(), 1, "status lines");
        await lookAt(page, "why-recorded");
        await page.setViewportSize(PHONE.viewport);
        await page.emulateMedia({ forcedColors: "active" });
        await shot(page, "why-recorded-forced", { fullPage: true });
        equal(errors.join("\n"), "", "console errors");
        await close();
      } finally {
        await browser.close();
      }
    },

    "why: the first different bit, the margins and the caches of the comparison on show": async () => {
      const { page, errors } = await loadedPage();
      const { report } = await compare(page, {
        prompt: SIXTY_TOKEN_PROMPT,
        order: "By shape",
        formats: "int8",
        tokens: 6,
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
      equal(
        await page.locator(".margin-path .scroll circle").count(),
        found.steps.length,
        "steps in the figure",
      );
      for (const { cold, warm, drift, two_epsilon } of found.leads) {
        equal(drift, Math.abs(warm - cold), "drift");
        // Each logit moved by epsilon at most; the sum of two is rounded.
        ok(drift <= two_epsilon * (1 + 1e-9), `a drift of ${drift} within ${two_epsilon}`);
      }
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
      equal(await page.locator(SPEAKERS).count(), 1, "status lines");
      ok((await page.locator(".status").innerText()).startsWith(`Layer 0, position ${last} `), "it is told");
      await page.getByText("Keys as a table: f16 steps").click();
      await page.locator(".heat-table").waitFor();
      equal(
        await page.locator(".heat-table td").count(),
        found.kv_map.k.largest_steps.length * found.kv_map.k.largest_steps[0].length,
        "cells of the table",
      );
      await page.getByText("Keys as a table: f16 steps").click();
      const readout = await page.locator(".heat-readout").innerText();
      const [layer, at] = [0, last];
      const isEqual = found.kv_map.k.largest_steps[layer][at] === 0;
      for (const [measure, numbers] of [
        ["Share that differs", found.kv_map.k.share],
        ["Relative L2", found.kv_map.k.relative_l2],
      ]) {
        await page.getByRole("radio", { name: measure }).check();
        const largest = Math.max(...numbers.flat());
        const words =
          measure === "Relative L2" ? largest.toExponential(1) : `${(100 * largest).toFixed(0)} %`;
        const label = await canvas.getAttribute("aria-label");
        ok(label.includes(`at most ${words};`), `the figure's name: ${label}, ${words}`);
        await page.getByText(`Keys as a table: ${measure}`).click();
        const cell = page.locator(".heat-table tbody tr").nth(layer).locator("td").nth(at);
        equal((await cell.innerText()) === "=", isEqual, `${measure} of the cell`);
        await page.getByText(`Keys as a table: ${measure}`).click();
      }
      equal(await page.locator(".heat-readout").innerText(), readout, "the readout has every measure");
      ok(Math.max(...found.kv_map.k.largest_steps.flat()) < 65_536, "f16 has no more numbers than that");
      const heat = await savedFigure(page, page.locator(".heat-map"));
      const cells = found.kv_map.k.largest_steps.length * found.kv_map.k.largest_steps[0].length;
      equal(heat.svg.match(/<rect /g).length, 1 + cells, "cells of the saved heat map");
      const margins = await savedFigure(page, page.locator(".margin-path"));
      equal(
        margins.svg.match(/<circle /g).length,
        found.steps.length + 1,
        "steps of the saved margins, and the key",
      );
      equal(
        margins.svg.match(/url\((&quot;|")#drift-hatch/g).length,
        found.steps.length + 1,
        "hatched drifts",
      );
      for (const words of ["Drift: how far the lead moved", "Safe line (2ε)"])
        ok(margins.svg.includes(words), `the saved margins name: ${words}`);
      equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
      await shot(page, "why", { fullPage: true });
      // On SwiftShader this prompt forks within its first tokens, always.
      ok(found.fork !== null, "a fork, behind which the map is hatched");
      ok(/<path d="M[^"]*L/.test(heat.svg), "hatches of the saved heat map");
      await page.getByRole("button", { name: "Go on with the same tokens" }).click();
      await page.getByText("Behind the fork both runs were fed").waitFor({ timeout: 240_000 });
      const beyond = await page.evaluate(() => globalThis.responses.findLast((result) => "kv_map" in result));
      equal(beyond.fork.index, found.fork.index, "the fork stays the first");
      equal(beyond.steps.length, 6, "steps, those behind the fork too");
      equal(
        await page.getByRole("button", { name: "Go on with the same tokens" }).count(),
        0,
        "nothing hatched",
      );
      const whole = await savedFigure(page, page.locator(".heat-map"));
      ok(/<path d=""/.test(whole.svg), "no hatches where both runs read the same tokens");
      await shot(page, "why-beyond", { fullPage: true });
      equal(errors.join("\n"), "", "console errors");
    },

    "why: the orders of addition are switched place by place, and a stop keeps what is known": async () => {
      const { page, errors } = await loadedPage();
      await compare(page, { prompt: "One.", order: "By shape", formats: "int8", tokens: 1 });
      const answers = () => page.evaluate(() => globalThis.responses.length);
      const n_before = await answers();
      await page.getByRole("link", { name: "Take it apart" }).click();
      const place = (name) => page.getByRole("switch", { name, exact: true });
      await place("attention").waitFor();
      equal(await page.getByRole("switch", { checked: false }).count(), 6, "places by shape, as it was run");
      const outcome = page.locator(".order-outcome strong");
      await page.getByText("Not run yet: all by shape.").waitFor();
      equal(await answers(), n_before, "answers of the engine: nothing runs until a switch is used");
      /** What the page says once the choice was run, and what the engine answered last. */
      const outcomes = async (choice) => {
        await page.getByText(`Cold and warm, ${choice}:`).waitFor({ timeout: 240_000 });
        const answered = await page.evaluate(() =>
          globalThis.responses.findLast((result) => "first_differing" in result),
        );
        return { told: await outcome.innerText(), answered };
      };
      const wordsOf = ({ first_differing, fork }) => {
        if (first_differing === null) return "= equal bits, 1 token";
        return fork === null ? "≠ other bits from token 1 on, no fork in 1" : "Y fork at token 1";
      };
      // The second gives the first no time.
      await place("attention").click();
      await place("down").press("Space");
      const two = await outcomes("one order at attention, down; the rest by shape");
      equal(two.told, wordsOf(two.answered), "two places in one order");
      await page.getByRole("button", { name: "All one order" }).click();
      equal(await page.getByRole("switch", { checked: true }).count(), 6, "places in one order");
      const invariant = await outcomes("all one order");
      equal(invariant.answered.first_differing, null, "all one order: equal bits");
      equal(invariant.told, "= equal bits, 1 token", "all one order");
      await page.getByRole("button", { name: "All by shape" }).click();
      const by_shape = await outcomes("all by shape");
      ok(by_shape.answered.first_differing !== null, "all by shape: other bits");
      equal(by_shape.told, wordsOf(by_shape.answered), "all by shape");
      const n_run = await answers();
      await page.getByRole("button", { name: "All one order" }).click();
      equal((await outcomes("all one order")).told, invariant.told, "all one order, again");
      await page.getByRole("button", { name: "All by shape" }).click();
      equal((await outcomes("all by shape")).told, by_shape.told, "all by shape, again");
      equal(await answers(), n_run, "answers of the engine: what is known is not run again");
      await lookAt(page, "orders");
      await page.getByRole("button", { name: "Try all of them" }).click();
      await page.getByText(/^[4-9] of 22 choices of orders tried/).waitFor({ timeout: 240_000 });
      await page.getByRole("button", { name: "Stop" }).click();
      await page.locator(".ablation table").waitFor({ timeout: 60_000 });
      const found = await page.evaluate(() => globalThis.responses.findLast((result) => "cases" in result));
      equal(found.invariant.first_differing, null, "every site invariant: equal bits");
      ok(found.by_shape.first_differing !== null, "every site by shape: other bits");
      equal(await page.locator(".ablation tbody tr").count(), 1 + found.cases.length, "rows of the table");
      equal(found.was_cancelled, true, "it was stopped");
      const again = page.getByRole("button", { name: "Try all of them" });
      equal(await again.isEnabled(), true, "what was stopped can be asked again");
      const n_tried = await answers();
      await place("QKV products").click();
      equal(
        (await outcomes("one order at QKV products; the rest by shape")).told,
        wordsOf(found.cases[0].made_invariant),
        "what the run of all has found",
      );
      equal(await answers(), n_tried, "answers of the engine: the run of all is remembered");
      await shot(page, "ablation", { fullPage: true });
      equal(errors.join("\n"), "", "console errors");
    },

    "why: a sound warm run is held against the rounding of its formats": async () => {
      const { page, errors } = await loadedPage();
      await compare(page, { prompt: "One.", order: "By shape", formats: "int8", tokens: 1 });
      await page.getByRole("link", { name: "Take it apart" }).click();
      await page.getByRole("button", { name: "Hold it against the rounding" }).click();
      await page.locator(".noise-judgement").waitFor({ timeout: 240_000 });
      const judged = await page.evaluate(() =>
        globalThis.responses.findLast((result) => "times_rounding" in result),
      );
      equal(judged.kind, "noise", "a sound warm run");
      ok(judged.times_rounding > 0, "its caches differ from the cold run's, so something was measured");
      equal(errors.join("\n"), "", "console errors");
    },

    "why: how far equal bits go is checked here, and the same check finds other bits by shape": async () => {
      const { page, errors, close } = await tinyPage(gpu, server.url);
      const verified = page.locator(".status-bar dd").filter({ hasText: /^L\d/ });
      for (const [order, level] of [
        ["By shape", null],
        ["Invariant", "L2"],
      ]) {
        await compare(page, { prompt: "One two three four five six.", order, formats: "int8", tokens: 2 });
        await page.getByRole("link", { name: "Take it apart" }).click();
        await page.getByRole("button", { name: "Check every shape" }).click();
        await page.locator("figure.shapes").waitFor({ timeout: 240_000 });
        const found = await page.evaluate(() =>
          globalThis.responses.findLast((result) => "shapes" in result),
        );
        equal(found.claim, level, `claim ${order}`);
        equal(found.n_differing > 0, level === null, `other bits ${order}`);
        ok(
          found.shapes.some(({ shape }) => shape.n_neighbours > 0),
          "beside another sequence",
        );
        await page.getByText("Every shape as a table").click();
        equal(await page.locator(".shapes tbody tr").count(), found.shapes.length, "rows of the table");
        await page.getByText("Every shape as a table").click();
      }
      ok((await verified.innerText()).startsWith("L2, any chunks"), await verified.innerText());
      await page.getByRole("button", { name: "Check against the CPU twin" }).click();
      await page.getByText(/^\d+ tokens? of both so far/).waitFor({ timeout: 240_000 });
      await page.locator(".twin-check").waitFor({ timeout: 240_000 });
      const found = await page.evaluate(() => globalThis.responses.findLast((result) => "n_steps" in result));
      // SwiftShader fuses nothing, and its sums are the twin's.
      equal([found.claim, found.first_difference, found.n_steps].join(), ["L4", null, 6].join(), "the twin");
      ok((await verified.innerText()).startsWith("L4, "), await verified.innerText());
      equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
      await shot(page, "claims", { fullPage: true });
      equal(errors.join("\n"), "", "console errors");
      await close();
    },
  };
}
