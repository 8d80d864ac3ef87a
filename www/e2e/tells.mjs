// What the page tells of a comparison, a failure and a figure, held against what the engine reported.
import { readFile } from "node:fs/promises";
import { equal, lookAt, ok, shot } from "./harness.mjs";
import { failure } from "./steps.mjs";

/** The page says what the engine reported: verdict, control, exposure, fork and margins. */
export async function pageTells(page, report) {
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
  equal(await page.locator("#app .streams .fork-token").count(), report.fork ? 2 : 0, "boxed tokens");
  equal(await page.locator("#app .arms").isVisible(), report.fork !== null, "arms");
  if (report.fork) {
    const { index, cold_pair_margin, warm_pair_margin } = report.fork;
    equal(
      await page.locator("#app .streams .fork-number").first().innerText(),
      `⟨${index + 1}⟩`,
      "number of the fork",
    );
    const saved = await savedFigure(page, page.locator(".margin"));
    const [, title] = /<title>([^<]*)<\/title>/.exec(saved.svg) ?? [];
    ok(title.includes(`token ${index + 1} · `) && title.includes(", order "), `the figure's title: ${title}`);
    for (const [side, value] of Object.entries({ cold: cold_pair_margin, warm: warm_pair_margin })) {
      const shown = await page.locator(`[data-margin="${side}"] dd`).innerText();
      if (value !== null) {
        const number = Number(shown.replace("\u2212", "-").replace("+", ""));
        ok(Math.abs(number - value) <= 0.006 * Math.abs(value), `${side} margin: ${shown} for ${value}`);
        ok(saved.svg.includes(`${shown}</text>`), `${shown} stands in the saved figure`);
      }
    }
  }
}

/** A failure that says all it must; its screenshot. */
export async function failureTells(page, code, name) {
  const shown = await failure(page, code);
  for (const words of ["What happened", "What still works", "What to do"]) {
    ok((await shown.innerText()).includes(words), `${code} says: ${words}`);
  }
  equal(await shown.getByRole("button").count(), 1, "next step");
  await shot(page, name, { fullPage: true });
  return shown;
}

/** The table, dark mode and a phone's width of a finished comparison, each with its accessibility or overflow. */
export async function lookAtResult(page, name, report) {
  const table = page.getByText("Every step as a table");
  await table.click();
  const lengths = report.runs.filter(({ run }) => run !== "cold-b").map(({ steps }) => steps.length);
  equal(await page.locator("table.steps tbody tr").count(), Math.max(...lengths), "rows of the table");
  await shot(page, `${name}-table`, { fullPage: true });
  await table.click();
  await lookAt(page, name);
}

/** A figure's files: they are what they say they are. Saves both and gives their texts. */
export async function savedFigure(page, figure) {
  const saved = async (name) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      figure.getByRole("button", { name }).click(),
    ]);
    return readFile(await download.path());
  };
  const svg = (await saved("Save as SVG")).toString();
  const png = await saved("Save as PNG");
  ok(/^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/.test(svg), svg.slice(0, 80));
  ok(/<title>[^<]{8,}<\/title>/.test(svg), "the title of the SVG");
  ok(/ viewBox="0 0 \d+ [\d.]+"/.test(svg), "its viewBox");
  const [, width] = /\bwidth="([\d.]+)"/.exec(svg) ?? [];
  equal(png.subarray(1, 4).toString(), "PNG", "the beginning of the PNG");
  // The size of an image stands in its first chunk.
  equal(png.readUInt32BE(16), 2 * Math.floor(Number(width)), "pixels across, twice the figure's size");
  return { svg, png };
}
