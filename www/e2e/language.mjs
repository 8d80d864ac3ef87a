// The page in Korean: at once where the browser speaks it, whole, and changed by the switch.
import { accessibilityFaults, DESKTOP, equal, ok, open, PHONE, shot } from "./harness.mjs";
import { stage } from "./steps.mjs";

/** What still reads like English, outside of what is marked as such. */
function englishLeft(page) {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const left = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement: element, data } = node;
      if (element.closest("[lang=en], noscript, script, textarea, code, .question")) continue;
      // The names of an adapter and of a command.
      const words = data.replace(/google swiftshader|lastbit compare/, "").trim();
      if (/[a-z]{3,} [a-z]{3,}/.test(words)) left.push(words);
    }
    return left.join("\n");
  });
}

async function speaksKorean(page) {
  equal(await page.evaluate(() => document.documentElement.lang), "ko", "language of the document");
  equal(await englishLeft(page), "", "English left in the Korean page");
  equal((await accessibilityFaults(page)).join("\n"), "", "accessibility");
}

export function languageChecks(gpu, server) {
  return {
    "Korean: a Korean browser sees it at once and whole; the switch changes it, and that lasts": async () => {
      for (const [name, options] of Object.entries({ "ko-first": DESKTOP, "ko-first-phone": PHONE })) {
        const { page, errors, close } = await open(gpu, server.url, { ...options, locale: "ko-KR" });
        await stage(page, "GPU", "done");
        equal(await page.title(), "lastbit: 같은 프롬프트, 콜드와 웜", "title");
        ok((await page.locator("h1:visible").innerText()).startsWith("같은 모델"), "the headline");
        const fork = await page.locator('.take[data-order="by-shape"]').innerText();
        ok(fork.includes("11번째 토큰에서 갈라졌습니다"), `the recorded fork: ${fork}`);
        await page.getByRole("button", { name: "98.4 MB 받고 실행" }).waitFor();
        await speaksKorean(page);
        await shot(page, name, { fullPage: true });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        ok(overflow <= 0, `${name} scrolls sideways by ${overflow} px`);
        for (const link of await page.locator(".views a").all()) {
          await link.click();
          await page.locator("h1:visible").waitFor();
          await speaksKorean(page);
        }
        equal(errors.join("\n"), "", "console errors");
        await close();
      }

      const { page, errors, close } = await open(gpu, `${server.url}?gpu=off`, {
        ...DESKTOP,
        locale: "ko-KR",
      });
      await page.locator(".failure").waitFor();
      await speaksKorean(page);
      const told = await page
        .locator(".failure dd")
        .evaluateAll((values) => values.map((value) => value.firstChild.textContent));
      equal(told.length, 4, "rows of the failure");
      for (const words of told.slice(0, 3)) ok(/[가-힣]/.test(words), `a failure in Korean: ${words}`);
      const detail = await page.locator(".failure dd [lang=en]").first().innerText();
      ok(detail.startsWith("This browser has no WebGPU"), `the engine's own words: ${detail}`);
      await shot(page, "ko-no-gpu", { fullPage: true });
      await page.getByLabel("언어").selectOption("en");
      await page.getByText("Same model, same prompt, same settings.").waitFor();
      for (const isReloaded of [false, true]) {
        if (isReloaded) await page.reload();
        await page.getByRole("heading", { name: "This browser has no WebGPU" }).waitFor();
        equal(await page.evaluate(() => document.documentElement.lang), "en", "language of the document");
        equal(await page.title(), "lastbit: one prompt, cold and warm", "title");
        ok((await page.locator("h1").first().innerText()).startsWith("Same model"), "the headline");
      }
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

    "Korean: no English is shown while its words are on their way, and for a while only": async () => {
      const context = await gpu.newContext({ ...DESKTOP, locale: "ko-KR" });
      const page = await context.newPage();
      let goesOn = () => {};
      const waits = new Promise((resolve) => {
        goesOn = resolve;
      });
      await page.route(/\/assets\/korean-/, async (route) => {
        await waits;
        await route.continue();
      });
      await page.goto(server.url, { waitUntil: "commit" });
      const token = page.locator(".fork-token").first();
      await token.waitFor();
      const headline = page.locator("h1").first();
      equal(await headline.isVisible(), false, "the English headline is shown at once");
      await shot(page, "ko-awaited");
      await headline.waitFor();
      ok((await headline.innerText()).startsWith("Same model"), "the English headline after a while");
      goesOn();
      await page.getByText("같은 모델, 같은 프롬프트").waitFor();
      await context.close();
    },
  };
}
