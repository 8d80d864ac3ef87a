// Rows of the list of bad inputs in the page: templates that end what renders them, and text that turns directions.
import { equal, ok, open, serve } from "./harness.mjs";
import { choose, compare, failure, stage, startRun } from "./steps.mjs";
import { tinyPage } from "./tiny-page.mjs";

/** Templates that take all stack, all memory or all time, with the code of each. */
const HOSTILE = {
  minus: [`{{ ${"-".repeat(200_000)}1 }}`, "TEMPLATE_CRASHED"],
  elif: [`{% if a %}${"{% elif a %}".repeat(20_000)}{% endif %}`, "TEMPLATE_CRASHED"],
  doubled: [
    `{% set x = 'abcdefgh' %}${"{% set x = x ~ x %}".repeat(60)}{{ x | length }}`,
    "TEMPLATE_CRASHED",
  ],
  loops: ["{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}", "TEMPLATE_LIMIT"],
  nested: [`{{ ${"(".repeat(100_000)}1 }}`, "TEMPLATE_LIMIT"],
  slow: [
    "{% for i in range(9999) %}{% set x = ('ab' * 9999999) | upper | length %}{% endfor %}",
    "TEMPLATE_",
  ],
  refusing: ["{{ raise_exception('Only <b>poems</b>, please.') }}", "Only <b>poems</b>, please."],
};

/** `loadedPage` gives a page with the built-in model. */
export function badInputChecks({ gpu, server, loadedPage }) {
  return {
    "hostile templates end their own worker, and the next run needs no reload": async () => {
      const named = Object.entries(HOSTILE).flatMap(([name, [source]]) => [name, source]);
      const { page, close } = await tinyPage(gpu, server.url, named);
      await page.getByText("More settings").click();
      const chosen = page.getByLabel("Chat template");
      const usual = await chosen.inputValue();
      for (const [name, [, words]] of Object.entries(HOSTILE)) {
        await chosen.selectOption(name);
        await choose(page, { prompt: "One two three.", tokens: 2 });
        const startedAt = performance.now();
        await page.getByRole("button", { name: "Run cold, cold, warm" }).click();
        await page.locator(".result .failure").waitFor();
        const shown = await failure(page, name === "refusing" ? "bad-request" : "bad-file");
        ok((await shown.innerText()).includes(words), `${words} is not in:\n${await shown.innerText()}`);
        equal(await shown.locator("b").count(), 0, "markup of a template that became markup of the page");
        console.log(`      ${name}: ${(performance.now() - startedAt).toFixed(0)} ms, ${words}`);
        // The page answers at once.
        ok((await page.evaluate(() => 1 + 1)) === 2, "the page is live");
        await chosen.selectOption(usual);
        const { report } = await compare(page, { prompt: "One two three.", order: "Invariant", tokens: 2 });
        equal(report.verdict, "bit-identical", `verdict after ${name}`);
      }
      await close();
    },

    "B165: markup that a model writes stays text": async () => {
      const { page, errors } = await loadedPage();
      let dialogs = 0;
      page.on("dialog", (dialog) => {
        dialogs += 1;
        void dialog.dismiss();
      });
      await page.getByText("More settings").click();
      await page.getByLabel("Text to continue").check({ force: true });
      const line = "<img src=x onerror=alert(1)><script>alert(2)</script> [x](javascript:alert(3))\n";
      await page.getByLabel("Text", { exact: true }).fill(line.repeat(3));
      const { report } = await compare(page, { order: "Invariant", formats: "int8", tokens: 8 });
      const written = report.runs[0].steps.map(({ text }) => text).join("");
      ok(/<img|<script/.test(written), `the model goes on with the pattern: ${written}`);
      ok((await page.locator("#app .trunk .text").innerText()).includes("<"), "the text is shown as it is");
      equal(await page.locator("#app .streams :is(img, script, a)").count(), 0, "elements made of text");
      equal(dialogs, 0, "dialogs");
      equal(errors.join("\n"), "", "console errors");
      await page.getByLabel("Chat message").check({ force: true });
      await page.getByText("More settings").click();
    },

    "B166: whatever becomes of a text, the page reaches no other server": async () => {
      const far = await serve();
      const { page, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      const tried = await page.evaluate(async (url) => {
        const results = [];
        const waiting = [];
        const attempt = (name, act) => {
          try {
            waiting.push(act());
            results.push(name);
          } catch {
            results.push(name);
          }
        };
        const element = (name, attributes) =>
          document.body.append(Object.assign(document.createElement(name), attributes));
        attempt("fetch", () => fetch(`${url}fetch?prompt`).catch(() => {}));
        attempt("beacon", () => navigator.sendBeacon(`${url}beacon`, "prompt"));
        attempt("socket", () => new WebSocket(`${url.replace("http", "ws")}socket`));
        attempt("events", () => new EventSource(`${url}events`));
        attempt("image", () => element("img", { src: `${url}image` }));
        attempt("link", () => element("link", { rel: "stylesheet", href: `${url}style` }));
        attempt("prefetch", () => element("link", { rel: "prefetch", href: `${url}prefetch` }));
        attempt("frame", () => element("iframe", { src: `${url}frame` }));
        attempt("media", () => element("video", { src: `${url}video` }));
        await Promise.allSettled(waiting);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        return results;
      }, far.url);
      equal(tried.length, 9, "ways that were tried");
      equal(far.requests.map(({ url }) => url).join(), "", "requests that another server saw");
      await close();
      far.close();
    },

    "text that turns directions turns nothing around it": async () => {
      const { page, errors, close } = await tinyPage(gpu, server.url);
      const text = "\u05e9\u05dc\u05d5\u05dd \u202eabc";
      await choose(page, { prompt: text, tokens: 2 });
      await startRun(page);
      const quoted = page.locator(".question bdi");
      equal(await quoted.innerText(), text, "the message as it was typed");
      const bidi = (element) => getComputedStyle(element).unicodeBidi;
      equal(await quoted.evaluate(bidi), "isolate", "the message's direction");
      equal(await page.locator("#app .trunk .text").evaluate(bidi), "plaintext", "the answer's direction");
      equal(errors.join("\n"), "", "console errors");
      await close();
    },
  };
}
