// A model is loaded, and runs cold, cold and warm: the page tells what the engine reported.
import { equal, ok, open, shot } from "./harness.mjs";
import {
  choose,
  compare,
  inOneLine,
  runState,
  SIXTY_TOKEN_PROMPT,
  settled,
  stage,
  startLoad,
  startRun,
} from "./steps.mjs";
import { failureTells, lookAtResult, pageTells } from "./tells.mjs";

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

export function comparisonChecks({ gpu, server, loadedPage, keepLoaded }) {
  return {
    "load: bytes, then ready, with the verified hash": async () => {
      const visit = await open(gpu, server.url);
      keepLoaded(visit);
      const { page } = visit;
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

    "by shape, 60-token prompt: the page tells what the engine reported, and streams; invariant, both stand beside each other":
      async () => {
        const { page, errors } = await loadedPage();
        await choose(page, { prompt: SIXTY_TOKEN_PROMPT, order: "By shape", formats: "int8", tokens: 16 });
        const startedAt = performance.now();
        await startRun(page);
        // Any of the later tokens: on a busy machine the page may go from one to the one after next between two looks.
        const midway = runState(page, "warm", "decoding", /writing token \d/).then(() =>
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

        equal(await page.locator("#app .before-and-after").count(), 0, "nothing stands beside the first one");
        // On SwiftShader this prompt forks, always.
        equal(report.verdict, "forked", "verdict by shape");
        await page.getByRole("button", { name: /^Switch it off/ }).click();
        await runState(page, "cold-a", "prefill");
        const bar = await page.locator("#app .run-bar").boundingBox();
        ok(bar.y >= 0 && bar.y < page.viewportSize().height, `Stop is brought into view: ${bar.y}`);
        const after = await settled(page);
        await pageTells(page, after);
        equal(after.verdict, "bit-identical", "verdict");
        equal(after.order, "invariant", "order");
        const both = page.locator("#app .before-and-after dl > div");
        equal(
          (await both.evaluateAll((rows) => rows.map(({ dataset }) => dataset.order))).join(),
          "by-shape,invariant",
          "before and after",
        );
        ok((await both.last().innerText()).includes("16 of 16 tokens"), "how much is alike");
        const marked = await both.locator(".excerpt :is(.fork-token, u)").allInnerTexts();
        const { cold, warm, index } = report.fork;
        const now = after.runs[0].steps[index];
        equal(
          marked.map((text) => text.replace(/^⟨\d+⟩ */, "")).join("|"),
          [cold, warm, now].map(({ text }) => text.trim()).join("|"),
          "both answers at the fork, and the one of now",
        );
        await shot(page, "bit-identical", { fullPage: true });
        equal(errors.join("\n"), "", "console errors");
      },

    "by shape, a shipped prompt": async () => {
      const { page, errors } = await loadedPage();
      const choices = { prompt: "Lighthouse", order: "By shape", formats: "int8", tokens: 6 };
      const { report, seconds } = await compare(page, choices);
      console.log(`      ${inOneLine(report, seconds)}`);
      await pageTells(page, report);
      equal(report.control.same_bits, true, "control");
      ok(report.first_differing_logits !== null, "by shape, some bit differs");
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
      ok(
        report.exposure > first.prompt_tokens,
        `warm reused ${report.exposure} tokens, the reply among them`,
      );
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

    "vacuous: a warm run that can reuse nothing is called no comparison": async () => {
      const { page, errors } = await loadedPage();
      const more = page.getByText("More settings");
      await more.click();
      await page.getByLabel("Text to continue", { exact: true }).check({ force: true });
      // One token: its logits are what is asked for, so nothing is left to take from a cache.
      await page.getByLabel("Text", { exact: true }).fill("a");
      const { report } = await compare(page, { order: "By shape", formats: "int8", tokens: 2 });
      equal([report.verdict, report.exposure].join(), "vacuous,0", "verdict and exposure");
      const card = page.locator(".verdict");
      equal(await card.getAttribute("data-verdict"), "vacuous", "verdict on the page");
      ok((await card.innerText()).includes("Not a comparison"), await card.innerText());
      ok(/reused 0 of 1 .*✗/.test(await card.innerText()), "exposure on the page");
      equal(await page.getByRole("link", { name: "Take it apart" }).count(), 0, "ways to take it apart");
      await page.getByLabel("Chat message", { exact: true }).check({ force: true });
      await more.click();
      equal(errors.join("\n"), "", "console errors");
    },
  };
}
