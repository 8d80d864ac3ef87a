// Links, shortcuts, the prompt library and its search for a fork.
import { accessibilityFaults, equal, lookAt, ok, open, shot } from "./harness.mjs";
import { compare, inOneLine, settled, stage } from "./steps.mjs";

/** A link as somebody else would have made it. */
function linkOf(page, view, inputs) {
  return page.evaluate(
    async ([view, inputs]) => {
      const stream = new Blob([JSON.stringify(inputs)])
        .stream()
        .pipeThrough(new CompressionStream("deflate-raw"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      const packed = btoa(String.fromCharCode(...bytes))
        .replaceAll("+", "-")
        .replaceAll("/", "_");
      return `#/${view}?setup=${packed.replace(/=+$/, "")}`;
    },
    [view, inputs],
  );
}

/** `gpu` is a browser with an adapter; `loadedPage` gives a page with the built-in model. */
export function setUpChecks({ gpu, server, loadedPage }) {
  return {
    "link: copied here, it restores prompt, numerics and length elsewhere, and nothing runs": async () => {
      const { page, close } = await open(gpu, server.url, {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      await stage(page, "GPU", "done");
      await page.getByRole("button", { name: "Maths", exact: true }).click();
      await page.getByLabel("Invariant", { exact: true }).check({ force: true });
      await page.getByLabel("float", { exact: true }).check({ force: true });
      await page.getByLabel("Tokens per run, at most").fill("17");
      await page.getByLabel("Tokens per run, at most").blur();
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.locator(".status-bar").getByText("The link is copied.").waitFor();
      const url = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByLabel("Tokens per run, at most").fill("18");
      await page.getByLabel("Tokens per run, at most").blur();
      await page.locator(".status-bar").getByText("The link is copied.").waitFor({ state: "detached" });
      await close();

      const from = server.requests.length;
      const other = await open(gpu, url);
      await other.page.getByText("Set up by a link").waitFor();
      await stage(other.page, "GPU", "done");
      equal(await other.page.getByLabel("Message", { exact: true }).inputValue(), MATHS, "the prompt");
      for (const name of ["Invariant", "float"]) {
        ok(await other.page.getByLabel(name, { exact: true }).isChecked(), name);
      }
      equal(await other.page.getByLabel("Tokens per run, at most").inputValue(), "17", "the length");
      const heavy = server.requests.slice(from).filter(({ url }) => /\.(wasm|gguf)/.test(url));
      equal(heavy.map(({ url }) => url).join(), "", "requests for an engine or a model");
      await lookAt(other.page, "link-open");

      const message = other.page.getByLabel("Message", { exact: true });
      await message.fill("Typed behind the link.");
      await other.page.reload();
      await stage(other.page, "GPU", "done");
      equal(
        await other.page.getByText("Set up by a link").count(),
        0,
        "notes of what was not filled in again",
      );
      equal(await message.inputValue(), "Typed behind the link.", "the prompt after a reload");
      ok(await other.page.getByLabel("Invariant", { exact: true }).isChecked(), "the order after a reload");
      const tab = await other.page.context().newPage();
      await tab.goto(server.url);
      await stage(tab, "GPU", "done");
      ok(
        (await tab.getByLabel("Message", { exact: true }).inputValue()) !== "Typed behind the link.",
        "another tab has a prompt of its own",
      );
      equal(other.errors.join("\n"), "", "console errors");
      await other.close();
    },

    "link: what is broken or unknown in it is named, the rest holds": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      const hash = await linkOf(page, "run", { text: "Only this.", formats: "int1", colour: "red" });
      await page.goto("about:blank");
      await page.goto(`${server.url}${hash}&x=1`);
      await page.getByText("Not understood, and left out: x, formats, colour.").waitFor();
      equal(await page.getByLabel("Message", { exact: true }).inputValue(), "Only this.", "the prompt");
      ok(await page.getByLabel("int8", { exact: true }).isChecked(), "the usual formats");
      await shot(page, "link-broken");
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

    "link: what is not understood is told where it is seen at once, and a hostile model is not offered":
      async () => {
        const { page, errors, close } = await open(gpu, server.url);
        const goTo = async (hash) => {
          await page.goto("about:blank");
          await page.goto(`${server.url}${hash}`);
        };
        const seenAtOnce = async (words) => {
          const note = page.locator(".link-note", { hasText: words });
          await note.waitFor();
          const { y } = await note.boundingBox();
          ok(y < 200, `“${words}” stands at ${y} px`);
        };
        const empty = await linkOf(page, "run", {});
        for (const model_url of ["javascript:alert(1)", "http://other.example/a.gguf"]) {
          await goTo(await linkOf(page, "run", { model_url }));
          await seenAtOnce("at an address that this page fetches nothing from");
          equal(await page.getByRole("button", { name: "Read its header" }).count(), 0, "offers");
          await page.goto(server.url);
        }
        await goTo("#/run?setup=junk");
        await seenAtOnce("Not understood, and left out: setup.");
        await goTo("#/lesson?step=99");
        await seenAtOnce("Not understood, and left out: step.");
        await goTo("#/foo");
        await seenAtOnce("There is no view “foo” here.");
        await shot(page, "link-no-view");
        await goTo(empty);
        await stage(page, "GPU", "done");
        equal(await page.locator(".link-note").count(), 0, "notes of an empty set-up");
        await page.getByLabel("Message", { exact: true }).fill("a".repeat(200_000));
        await page.getByRole("button", { name: "Copy link" }).click();
        await page.locator(".status-bar").getByText("The texts are too long for a link").waitFor();
        equal(errors.join("\n"), "", "console errors");
        await close();
      },

    "keyboard: shortcuts run, stop, find the fork, and can be turned off": async () => {
      const { page } = await loadedPage();
      const tokens = page.getByLabel("Tokens per run, at most");
      await tokens.fill("600");
      await tokens.press("Enter");
      await page.locator('.result[data-state="running"]').waitFor();
      equal(await tokens.inputValue(), "512", "what the field says");
      // While tokens are written, the bar's end is how many there may be.
      await page.locator('#app .run-strip progress[max="512"]').waitFor({ timeout: 120_000 });
      await page.getByRole("button", { name: "Stop" }).click();
      await page.locator('.result[data-state="done"]').waitFor({ timeout: 60_000 });
      await page.keyboard.press("r");
      await page.locator('.result[data-state="running"]').waitFor();
      await page.locator("#app .trunk .token").nth(2).waitFor({ timeout: 120_000 });
      await page.keyboard.press("Escape");
      await page.locator('.result[data-state="done"]').waitFor({ timeout: 60_000 });
      await page.keyboard.press("f");
      await page.waitForFunction(() => document.activeElement?.id === "token-cursor");
      for (const key of ["Home", "ArrowRight"]) await page.keyboard.press(key);
      await page.locator(".token.pointed").first().waitFor();
      equal(await page.locator(".token.pointed").count(), 1, "tokens that are looked at");
      await page.keyboard.press("?");
      const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await list.waitFor();
      equal((await accessibilityFaults(page)).join("\n"), "", "accessibility of the list");
      await shot(page, "kbd-help");
      await list.getByLabel("Shortcuts of one letter").uncheck();
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "hidden" });
      await page.keyboard.press("w");
      ok((await page.evaluate(() => location.hash)) !== "#/why", "a letter does nothing now");
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
      await list.getByLabel("Shortcuts of one letter").check();
      await list.getByRole("button", { name: "Close" }).click();
      await page.keyboard.press("w");
      await page.waitForFunction(() => location.hash === "#/why");
      await page.keyboard.press("f");
      await page.waitForFunction(() => location.hash === "#/run");
    },

    "focus: it stays with what is going on, and a load that was stopped goes on to the run it was for":
      async () => {
        const { page, errors, close } = await open(gpu, server.url);
        const focused = (name) =>
          page.waitForFunction((name) => document.activeElement?.textContent?.includes(name), name);
        await stage(page, "GPU", "done");
        const length = page.getByLabel("Tokens per run, at most");
        await length.fill("3");
        await page.getByRole("button", { name: /^Load .* and run$/ }).focus();
        await page.keyboard.press("Enter");
        await focused("Cancel");
        await page.keyboard.press("Enter");
        await focused("Continue the download");
        await page.keyboard.press("Enter");
        await focused("Cancel");
        // What is being written stays while the page is drawn again and again.
        await length.focus();
        await page.keyboard.press("Home");
        await page.keyboard.type("0");
        await stage(page, "Ready", "done");
        equal(await length.inputValue(), "03", "a length that is being written");
        await settled(page);
        await length.fill("3");

        await page.getByRole("button", { name: "Run cold, cold, warm" }).dblclick();
        await page.locator('.result[data-state="running"]').waitFor();
        const { verdict } = await settled(page);
        ok(verdict !== "cancelled", "the second click of two stops nothing");
        await focused("Run cold, cold, warm");
        await page.getByRole("link", { name: "Why? Take it apart" }).click();
        await page.locator(".why-offer button").first().focus();
        await page.keyboard.press("Enter");
        await focused("Stop");
        await page.waitForFunction(() => document.activeElement?.matches(".why-sentence"), null, {
          timeout: 240_000,
        });
        equal((await accessibilityFaults(page)).join("\n"), "", "accessibility of what can be unfolded");
        equal(errors.join("\n"), "", "console errors");
        await close();
      },

    "prompts: at the chunk edge cold and warm take the same kernels, by shape": async () => {
      const { page } = await loadedPage();
      const choices = { prompt: "Chunk edge", order: "By shape", formats: "int8", tokens: 3 };
      const { report, seconds } = await compare(page, choices);
      console.log(`      ${inOneLine(report, seconds)}`);
      equal(report.prompt.length, 2 * 32 + 1, "tokens of the prompt");
      equal(report.exposure, 64, "tokens reused");
      equal(report.first_differing_logits, null, "the first logits that differ");
    },

    "scan: the prompts are tried until one forks, and counted": async () => {
      const { page, errors } = await loadedPage();
      await page.getByLabel("By shape", { exact: true }).check({ force: true });
      await page.getByLabel("Tokens per run, at most").fill("12");
      await page.getByLabel("Tokens per run, at most").blur();
      const from = await page.evaluate(() => globalThis.responses.length);
      await page.getByRole("button", { name: "Find a fork on this device" }).click();
      await page.getByRole("button", { name: "Find a fork on this device" }).waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Find a fork on this device" }).waitFor({ timeout: 400_000 });
      const reports = await page.evaluate(
        (from) => globalThis.responses.slice(from).filter((result) => "verdict" in result),
        from,
      );
      const forks = reports.map(({ fork }) => fork !== null);
      ok(
        forks.slice(0, -1).every((forked) => !forked),
        "it goes on only where nothing forked",
      );
      ok(forks.at(-1) || reports.length === 9, `it ends at a fork or with all: ${reports.length}`);
      const words = forks.at(-1) ? "1 forked" : "none forked";
      await page.getByText(`${reports.length} of 9 prompts tried, ${words}.`).waitFor();
      equal(await page.locator(".scan li").count(), reports.length, "prompts listed");
      await shot(page, "scan", { fullPage: true });
      equal(errors.join("\n"), "", "console errors");
    },
  };
}

const MATHS = "Why do some people find mathematics beautiful? Give a few reasons.";
