// The view Why of a comparison: where it forks, and which order of addition makes it.
import { accessibilityFaults, equal, ok, shot } from "./harness.mjs";
import { compare } from "./steps.mjs";
import { savedFigure } from "./tells.mjs";

export function whyChecks({ loadedPage }) {
  return {
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
  };
}
