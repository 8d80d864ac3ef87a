// The lesson: every fact as the engine computes it, on the GPU and on the CPU twin; the lock, the paper, the fork and one real sum.
import { join } from "node:path";
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
  serve,
  shot,
} from "./harness.mjs";
import { savedFigure } from "./tells.mjs";

// The engine is fetched and compiled with the first question.
const ANSWER_MS = 60_000;
const MODEL_MS = 400_000;

const stepOf = (page, number) => page.locator(".lesson-step").nth(number - 1);

async function goTo(page, number) {
  await page
    .locator(".lesson-steps a")
    .nth(number - 1)
    .click();
  await stepOf(page, number).waitFor();
}

/** Says what is expected, and waits until the step opens. */
async function predict(page, number, answer) {
  const step = stepOf(page, number);
  await step.getByLabel(answer, { exact: true }).check();
  await step.getByRole("button", { name: "Check my prediction" }).click();
  await step.getByRole("heading", { name: "Explain" }).waitFor({ timeout: ANSWER_MS });
  return step;
}

/** Waits for a text, exactly. */
async function shows(locator, text, what) {
  await locator.filter({ hasText: new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) }).waitFor({
    timeout: 20_000,
  });
  // Text of a drawing has no innerText.
  equal(await locator.textContent(), text, what);
}

async function threeNumbers(page) {
  const step = await predict(page, 1, "2050");
  ok((await step.locator(".lesson-truth").innerText()).includes("2048"), "the engine's answer");
  equal(await step.locator("[data-right]").getAttribute("data-right"), "false", "a wrong prediction");
  await page.locator("p[role=status]", { hasText: "2048" }).waitFor();
  const isHeir = await step
    .locator(".prediction [data-heir]")
    .evaluate((it) => it === document.activeElement);
  ok(isHeir, "the focus goes from the button to what came of it");
  const facts = {
    "f16 (half)": ["f16", "2048", "2050"],
    "bf16 (brain)": ["bf16", "256", "258"],
    "f32 (single)": ["f32", "16,777,216", "16,777,218"],
  };
  for (const [label, [format, left, right]] of Object.entries(facts)) {
    await step.getByLabel(label, { exact: true }).check({ force: true });
    await step.getByLabel(`(${left} + 1) + 1`, { exact: true }).check({ force: true });
    await shows(step.locator(`[data-sum="${format} left"]`), left, `${format}, one after another`);
    await step.getByLabel(`${left} + (1 + 1)`, { exact: true }).check({ force: true });
    await shows(step.locator(`[data-sum="${format} right"]`), right, `${format}, ones first`);
  }
}

async function why(page) {
  const step = await predict(page, 2, "2");
  equal(await step.locator("[data-right]").getAttribute("data-right"), "true", "a right prediction");
  const fact = (name) => step.locator(`[data-fact="${name}"] dd`);
  await shows(fact("value"), "2048", "value");
  await shows(fact("gap"), "2", "gap from 2048 on");
  await shows(fact("sum"), "2048", "2048 + 1");
  await step.getByRole("button", { name: "1", exact: true }).click();
  await shows(fact("gap"), "1/1024", "gap near 1");
  await step.getByRole("button", { name: "fraction, bit 0" }).press("Enter");
  await shows(fact("value"), "1.0009765625", "the number behind 1");
}

async function eightNumbers(page) {
  const step = await predict(page, 3, "6 to 20");
  ok(
    (await step.locator(".lesson-truth").innerText()).includes("14 different results in 40,320 orders"),
    "results and orders",
  );
  equal(await step.locator(".order-bar").count(), 14, "bars");
  const saved = await savedFigure(page, step.locator(".lesson-figure"));
  equal(saved.svg.match(/<rect /g).length, 1 + 14, "bars of the saved figure");
  await step.getByText("The figure as a table").click();
  const rows = await step.locator(".orders-table tbody tr").allInnerTexts();
  equal(rows.length, 14, "rows of the table");
  ok(rows[0].startsWith("3\t"), `the smallest result: ${rows[0]}`);
  ok(rows[13].startsWith("6.25\t"), `the largest result: ${rows[13]}`);
  ok(
    rows.some((row) => row === "5 (exact)\t14,640 of 40,320"),
    `how often 5 comes up: ${rows}`,
  );
  const output = step.locator(".lesson-sum output");
  const before = await output.innerText();
  // By the pointer: the first number to the right-hand end.
  const places = step.locator(".forest-row > li");
  const worth = (place) => place.locator("svg").textContent();
  await step.locator(".forest-row").scrollIntoViewIfNeeded();
  const [first, last] = [await places.first().boundingBox(), await places.last().boundingBox()];
  await page.mouse.move(first.x + first.width / 2, first.y + first.height / 2);
  await page.mouse.down();
  await page.mouse.move(last.x + last.width - 4, last.y + last.height / 2, { steps: 12 });
  await page.mouse.up();
  equal(await worth(places.last()), "1024", "the number that was dragged");
  await step.getByRole("button", { name: "Move left" }).click();
  equal(await worth(places.nth(6)), "1024", "the number that was moved by a button");
  await page.locator('.lesson-step:visible .forest-part[aria-pressed="true"]').focus();
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("ArrowLeft");
  equal(await worth(places.first()), "1024", "the number that was moved by arrow keys");
  // A button that cannot be pressed any more gives the focus to the part that it moved.
  await page.keyboard.press("ArrowRight");
  await step.getByRole("button", { name: "Move left" }).press("Enter");
  await page.waitForFunction(() => document.activeElement?.matches('.forest-part[aria-pressed="true"]'));
  await shows(output, before, "the sum in the first order again");
  await step.getByText("The figure as a table").click();
}

async function trees(page) {
  const step = await predict(page, 4, "4096");
  ok(
    (await step.locator(".lesson-truth").innerText()).includes("2048 one after another, 4096 in pairs"),
    "the engine's answer",
  );
  await step.getByText("The figure as a table").click();
  equal(await step.locator(".growth-table tbody tr").count(), 7, "rows of the table");
  const growth = await savedFigure(page, step.locator(".growth"));
  ok(growth.svg.includes("One after another: 2048</text>"), "the key of the saved growth");
  await step.getByText("The figure as a table").click();
  const parts = step.locator(".forest-row > li");
  await parts.nth(1).getByRole("button").click();
  await step.getByRole("button", { name: "Add the right-hand neighbour" }).click();
  equal(await parts.count(), 7, "parts left");
  await shows(step.locator(".forest-total").first(), "1", "½ + ½");
  await step.getByRole("button", { name: "In pairs" }).click();
  await step.locator("[data-tree-total] output").waitFor();
  equal(await parts.count(), 1, "one tree");
  const saved = await savedFigure(page, step.locator(".forest"));
  equal(saved.svg.match(/<text /g).length, 1 + 8 + 7, "title, numbers and sums of the saved tree");
}

async function fromSumToChoice(page) {
  const step = await predict(page, 5, "No");
  await step.locator(".margin-slider").waitFor();
  const slider = step.getByRole("slider");
  equal(await step.locator(".margin-slider").getAttribute("data-reach"), "true", "the fork's margin");
  await slider.press("End");
  equal(await step.locator(".margin-slider").getAttribute("data-reach"), "false", "four times the drift");
  equal(await step.locator(".decision-row").count(), 11, "decisions up to the recorded fork");
  const saved = await savedFigure(page, step.locator(".lesson-figure"));
  equal(saved.svg.match(/<rect /g).length, 1 + 11 + 1, "reaches of the saved decisions, and the key");
  const bars = await savedFigure(page, step.locator(".margin-slider"));
  ok(bars.svg.includes("Best token</text>"), "names of the saved bars");
  ok((await step.innerText()).includes("recorded run of this page"), "where the numbers are from");
}

/** The steps that need no model, from the first view on. */
async function withoutModel(browser, profile, options) {
  const site = await serve();
  const { page, errors, close } = await open(browser, `${site.url}#/lesson`, options);
  await page.getByRole("heading", { name: "Six steps from a sum to a fork" }).waitFor();
  await stepOf(page, 1).getByText("Choose an answer first").waitFor();
  equal(
    site.requests.filter(({ url }) => /\/models\/|\.wasm/.test(url)).length,
    0,
    "requests before a click",
  );
  const walk = [threeNumbers, why, eightNumbers, trees, fromSumToChoice];
  for (const [index, visit] of walk.entries()) {
    if (index > 0) {
      await goTo(page, index + 1);
      equal(await page.locator(".status").innerText(), "", `what step ${index} said is not said in the next`);
    }
    await visit(page);
    if (index < 4) {
      const computed = await stepOf(page, index + 1)
        .locator(".source-note")
        .getAttribute("data-computed");
      equal(computed, profile === "gpu" ? "gpu" : "cpu-twin", `what computed step ${index + 1}`);
    }
    if (profile === "gpu") await lookAt(page, `lesson-${index + 1}`);
  }
  equal(site.requests.filter(({ url }) => /^\/models\//.test(url)).length, 0, "requests for a model");
  if (profile === "gpu") {
    const own = await page.evaluate(() => globalThis.responses.filter((result) => "computed" in result));
    ok(own.length > 10, `${own.length} answers`);
    for (const { computed } of own) equal(computed.n_differing, 0, "sums that differ from the twin's");
  }
  await page.getByRole("button", { name: "Start over" }).click();
  await goTo(page, 1);
  equal(await page.locator('.lesson-step[data-open="true"]').count(), 0, "open steps after starting over");
  equal(errors.join("\n"), "", "console errors");
  await close();
  site.close();
}

/** What of the print view sticks out of a page, and how many pages it takes. */
async function printed(page) {
  await page.emulateMedia({ media: "print" });
  // The width between the margins of an A4 page.
  await page.setViewportSize({ width: 688, height: 1017 });
  const cut = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll(".worksheet *")].filter((element) => {
      const { right, left } = element.getBoundingClientRect();
      return right > width + 1 || left < -1;
    });
    return wide.map((element) => element.outerHTML.slice(0, 80));
  });
  equal(cut.join("\n"), "", "cut off");
  equal(await page.locator(".worksheet .task").count(), 6, "tasks on paper");
  for (const gone of [".site", ".lesson-steps", ".lesson-step", ".status-bar"]) {
    equal(await page.locator(gone).first().isVisible(), false, `${gone} on paper`);
  }
  const tallest = await page.evaluate(() =>
    Math.max(...[...document.querySelectorAll(".worksheet .task")].map((task) => task.offsetHeight)),
  );
  ok(tallest < 1017, `a task is ${tallest} px tall, which no page holds`);
  const pdf = await page.pdf({ preferCSSPageSize: true, path: join(folders.shots, "lesson-print.pdf") });
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

export const lessonChecks = (gpu, server) => ({
  "lesson: every step is computed on the GPU, and nothing is fetched before a prediction": () =>
    withoutModel(gpu, "gpu", DESKTOP),

  "lesson: without a GPU the CPU twin computes every step": async () => {
    const browser = await launch("noAdapter");
    try {
      await withoutModel(browser, "noAdapter", PHONE);
    } finally {
      await browser.close();
    }
  },

  "lesson: locked, it is the lesson and nothing else; on a projector it is larger": async () => {
    const { page, errors, close } = await open(gpu, `${server.url}#/lesson?step=3&lock=1`);
    await stepOf(page, 3).waitFor();
    for (const hidden of [".views", ".status-bar", ".setup", ".picker", ".link-note"]) {
      equal(await page.locator(hidden).first().isVisible(), false, `${hidden} in a locked lesson`);
    }
    for (const shown of ["#preferences", ".lesson-steps", ".lesson-tools"]) {
      equal(await page.locator(shown).isVisible(), true, `${shown} in a locked lesson`);
    }
    const links = await page.locator("a:visible").evaluateAll((all) => all.map(({ hash }) => hash));
    ok(
      links.every((hash) => /^#\/lesson\?step=\d&lock=1$/.test(hash)),
      `links lead out of a locked lesson: ${links}`,
    );
    await page.keyboard.press("w");
    equal(await stepOf(page, 3).isVisible(), true, "the lesson after a shortcut");
    await shot(page, "lesson-lock", { fullPage: true });
    const size = () => page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
    const usual = await size();
    await page.getByRole("button", { name: "Projector" }).click();
    // The page draws a moment after the click.
    await page.waitForFunction(
      (usual) => Number.parseFloat(getComputedStyle(document.body).fontSize) > 1.3 * usual,
      usual,
    );
    await predict(page, 3, "6 to 20");
    await shot(page, "lesson-projector", { fullPage: true });
    equal((await accessibilityFaults(page)).join("\n"), "", "accessibility on a projector");
    await page.getByRole("button", { name: "Projector" }).click();
    equal(errors.join("\n"), "", "console errors");
    await close();
  },

  "lesson: the worksheet fits A4": async () => {
    for (const locale of ["en-US", "ko-KR"]) {
      const { page, close } = await open(gpu, `${server.url}#/lesson`, { ...DESKTOP, locale });
      await page.locator(".worksheet").waitFor({ state: "attached" });
      const title = locale === "ko-KR" ? "합의 순서" : "The order of a sum";
      await page.locator(".worksheet h2", { hasText: title }).waitFor({ state: "attached" });
      const n_pages = await printed(page);
      ok(n_pages >= 1 && n_pages <= 2, `${locale}: the worksheet takes ${n_pages} pages`);
      await shot(page, locale === "en-US" ? "lesson-print" : "lesson-print-korean", { fullPage: true });
      await close();
    }
  },

  "lesson: the fork is made and switched off, and one real sum changes its last bits": async () => {
    const { page, errors, close } = await open(gpu, `${server.url}#/lesson?step=6`);
    const step = stepOf(page, 6);
    await step.getByLabel("No, at some word they part").check();
    await step.getByRole("button", { name: "Keep my prediction" }).click();
    await step.getByRole("button", { name: /^Load .* and make the fork$/ }).click();
    const card = (title) =>
      step.locator(".outcome-card", { has: page.getByRole("heading", { name: title }) });
    const byShape = card("Order by shape");
    await byShape.locator(".checks").waitFor({ timeout: MODEL_MS });
    ok(/forked|same-tokens/.test(await byShape.getAttribute("data-verdict")), "verdict by shape");
    await step.getByRole("button", { name: "Switch it off" }).click();
    const invariant = card("One order for all");
    await invariant.locator(".checks").waitFor({ timeout: MODEL_MS });
    equal(await invariant.getAttribute("data-verdict"), "bit-identical", "verdict in one order");
    await step.getByRole("button", { name: "Fetch it from the model" }).click();
    const product = step.locator(".dot-product");
    await product.locator(".forest-row > li").first().waitFor({ timeout: ANSWER_MS });
    equal(await product.locator(".forest-row > li").count(), 18, "blocks of the dot product");
    await product.getByText("The same bits as one after another.").waitFor();
    // Some of the other orders gives other bits; which, the numbers decide.
    const changed = product.locator('.cell[data-changed="true"]');
    for (const order of ["As the kernel for few rows: 6 slices", "In pairs", "As the kernel for many rows"]) {
      if ((await changed.count()) > 0) break;
      await product.getByRole("button", { name: order }).click();
      await page.waitForTimeout(500);
    }
    await product.locator(".forest-part").first().click();
    for (let move = 0; move < 17 && (await changed.count()) === 0; move += 1) {
      await product.getByRole("button", { name: "Move right" }).click();
      await page.waitForTimeout(300);
    }
    ok((await changed.count()) > 0, "no order changes a bit of the sum");
    const bits = await savedFigure(page, product.locator(".last-bits"));
    equal(bits.svg.match(/<text /g).length, 1 + 32, "title and bits of the saved figure");
    await lookAt(page, "lesson-6");
    equal(errors.join("\n"), "", "console errors");
    await close();
  },
});
