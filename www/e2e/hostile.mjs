// Servers with every bad habit, and a hasty visitor: each ends in a model that is right, or in words and a way on.
import { gzipSync } from "node:zlib";
import { equal, ok, open } from "./harness.mjs";
import { detail, LOAD, loadPicked, served, sha256, tinyComparison, typeAddress } from "./own-steps.mjs";
import { loaded, stage, toView } from "./steps.mjs";
import { tinyFile } from "./tiny-model.mjs";

const GOOD = tinyFile("good.gguf");
const BYTES = GOOD.buffer;

/** What each file's server answers, besides the plain one. */
const HABITS = {
  "gzip.gguf": (_, response) => {
    response.writeHead(200, { "Content-Encoding": "gzip" });
    response.end(gzipSync(BYTES));
  },
  "longer.gguf": (_, response) => {
    response.writeHead(200, { "Content-Length": BYTES.length + 100 });
    response.write(BYTES, () => setTimeout(() => response.destroy(), 200));
  },
  "never.gguf": (_, response) => response.writeHead(416).end(),
  "elsewhere-in-it.gguf": (_, response) => {
    const range = `bytes 100-${BYTES.length - 1}/${BYTES.length}`;
    response.writeHead(206, { "Content-Range": range }).end(BYTES.subarray(100));
  },
  "shorter.gguf": (_, response) => {
    response.writeHead(206, { "Content-Range": "bytes 0-4999/5000" }).end(BYTES.subarray(0, 5000));
  },
  "endless.gguf": (_, response) => {
    response.writeHead(200);
    response.write(BYTES);
    const zeros = Buffer.alloc(1 << 20);
    const more = () => {
      while (!response.destroyed && response.write(zeros));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
};

const answers = (request, response) => {
  const name = new URL(request.url, "http://localhost").pathname.replace("/models/", "");
  const habit = HABITS[name];
  habit?.(request, response);
  return habit !== undefined;
};

const downloadsOf = (site, name) =>
  site.requests.filter(({ url, range }) => url.startsWith(`/models/${name}`) && range?.endsWith("-"));

/** How the address ends: "loaded", or the code of the failure that the page shows. */
async function outcome(page, name) {
  await typeAddress(page, `models/${name}`);
  const failure = page.locator(".models .failure");
  // The card of the file before it may still be there.
  await page.locator(".fit", { hasText: name }).or(failure).first().waitFor();
  if (!(await failure.isVisible())) {
    await page.getByRole("button", LOAD).click();
    await page.locator(".fit").waitFor({ state: "hidden" });
    await page.locator(".loaded-now").or(failure).first().waitFor();
  }
  if (!(await failure.isVisible())) return "loaded";
  const code = await failure.getAttribute("data-code");
  const dismiss = failure.getByRole("button", { name: "Dismiss" });
  await dismiss.click();
  await failure.waitFor({ state: "hidden" });
  return code;
}

export function hostileChecks(gpu) {
  const visit = async (site) => {
    const opened = await open(gpu, site.url);
    await stage(opened.page, "GPU", "done");
    return opened;
  };
  return {
    "hostile servers: lies about length, ranges and encoding end in words, and the model before them stays":
      async () => {
        await served([GOOD], { wrap: answers }, async (site) => {
          const { page, close } = await visit(site);
          equal(await outcome(page, "good.gguf"), "loaded", "a good server");
          const expected = {
            "longer.gguf": "download-cut",
            "never.gguf": "bad-file",
            "elsewhere-in-it.gguf": "download-http",
            "shorter.gguf": "bad-file",
            "endless.gguf": "bad-file",
          };
          for (const [name, code] of Object.entries(expected)) equal(await outcome(page, name), code, name);
          await tinyComparison(page);
          equal(await detail(page, "SHA-256"), sha256(BYTES), "what is loaded");
          equal(await outcome(page, "gzip.gguf"), "loaded", "an encoded answer");
          equal(await detail(page, "SHA-256"), sha256(BYTES), "its decoded bytes");
          await close();
        });
      },

    "hostile addresses: a fragment is left out, a name and password are refused, another site's http is never asked":
      async () => {
        await served([GOOD], {}, async (other) => {
          const away = (request, response) => {
            if (!request.url.startsWith("/models/away")) return false;
            response.writeHead(302, { Location: `${other.url}models/good.gguf` }).end();
            return true;
          };
          await served([GOOD], { wrap: away }, async (site) => {
            const { page, close } = await visit(site);
            await typeAddress(page, `${site.url.replace("//", "//name:secret@")}models/good.gguf`);
            const refused = page.locator(".models > .failure");
            await refused.waitFor();
            equal(await refused.getAttribute("data-code"), "bad-address", "code");
            await typeAddress(page, "models/away.gguf");
            await page.locator('.models > .failure[data-code="download-network"]').waitFor();
            equal(other.requests.length, 0, "requests to the other site");
            await typeAddress(page, "models/good.gguf#part");
            await page.locator(".fit").waitFor();
            await loadPicked(page);
            const n_asked = site.requests.length;
            await typeAddress(page, "models/good.gguf#another");
            await page.locator(".fit").waitFor();
            await loadPicked(page);
            const again = site.requests.slice(n_asked).filter(({ url }) => url.startsWith("/models/"));
            equal(again.length, 0, "requests for what is here");
            await close();
          });
        });
      },

    "a hasty visitor: double clicks ask once, and a reload in the middle is gone on with": async () => {
      let release = () => {};
      const held = new Promise((resolve) => {
        release = resolve;
      });
      let n_held = 0;
      const holding = async (request, response) => {
        if (request.headers.range !== "bytes=0-" || ++n_held > 1) return false;
        response.writeHead(200, { "Content-Length": BYTES.length, ETag: '"one"' });
        response.write(BYTES.subarray(0, 100_000));
        await held;
        response.destroy();
        return true;
      };
      await served([GOOD], { wrap: holding }, async (site) => {
        const { page, errors, close } = await visit(site);
        await toView(page, "models");
        await page.getByLabel("Address of a GGUF file").fill("models/good.gguf");
        await page.getByRole("button", { name: "Check the address" }).dblclick();
        await page.locator(".fit").waitFor();
        equal(
          site.requests.filter(({ url }) => url.startsWith("/models/")).length,
          1,
          "requests of the check",
        );
        await page.getByRole("button", LOAD).dblclick();
        await page
          .locator(".models > .load-line")
          .getByText(/0\.1 of 0\.2 MB/)
          .waitFor();
        equal(downloadsOf(site, "good").length, 1, "downloads");
        await page.reload();
        release();
        await toView(page, "models");
        await stage(page, "GPU", "done");
        const card = page.locator('.model-list [data-state="incomplete"]');
        await card.waitFor();
        await card.getByRole("button", { name: /^Resume/ }).dblclick();
        await loaded(page);
        equal(downloadsOf(site, "good").length, 2, "downloads after the reload");
        equal(await detail(page, "SHA-256"), sha256(BYTES), "hash");
        ok(
          errors.every((error) => /ERR_/.test(error)),
          errors.join("\n"),
        );
        await close();
      });
    },
  };
}
