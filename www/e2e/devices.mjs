// Devices that are lost, missing or refused, an engine that breaks down, and the CPU twin in their place.
import { accessibilityFaults, DESKTOP, equal, launch, ok, open, PHONE, shot } from "./harness.mjs";
import { choose, compare, failure, inOneLine, runState, settled, stage, startRun } from "./steps.mjs";
import { failureTells, lookAtResult, pageTells } from "./tells.mjs";

const CPU_OFFER = "Run it on the CPU: slow, same arithmetic";

export function deviceChecks({ gpu, server }) {
  return {
    "B151: a device that is lost is replaced once, and what was there comes out again bit by bit":
      async () => {
        const { page } = await open(gpu, `${server.url}?gpu=lost`);
        await choose(page, { tokens: 5 });
        await page.getByRole("button", { name: /Load 98\.4 MB and run/ }).click();
        await page
          .getByText("The GPU went away. The same steps are run once more")
          .waitFor({ timeout: 120_000 });
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
        await choose(page, { tokens: 12 });
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
      await choose(page, { tokens: 12 });
      await page.getByRole("button", { name: /Load 98\.4 MB and run/ }).click();
      const lost = await failureTells(page, "device-gone", "gpu-gone");
      ok((await page.locator("#app .trunk .text").innerText()).trim().length > 0, "partial text stays");
      await lost.getByRole("button").click();
      await stage(page, "Ready", "done");
      const { report } = await compare(page, { tokens: 2 });
      await pageTells(page, report);
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
      equal(
        await http.page.getByRole("button", { name: CPU_OFFER }).isEnabled(),
        true,
        "the offer of the CPU",
      );
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
        const line = await page.locator(".load-line > p").innerText();
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
  };
}
