// The view Models and what this browser keeps: progress, a cut, a wrong hash, the second visit, two tabs, a full
// storage, deleting.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DESKTOP, equal, folders, lookAt, ok, open, serve, shot } from "./harness.mjs";
import { compare, loaded, stage, toView } from "./steps.mjs";
import { tinyFile } from "./tiny-model.mjs";

const NAME = "tiny.gguf";
const MODEL_REQUEST = /^\/models\//;

/** A server with one small model; `wrap` may answer itself. */
async function servingTiny(use, wrap) {
  const models = await mkdtemp(join(tmpdir(), "lastbit-"));
  const file = tinyFile(NAME);
  await writeFile(join(models, NAME), file.buffer);
  const isDown = { value: false };
  const answers = async (request, response) => {
    // A server that is down for a service worker too, which a browser's own offline switch may not reach.
    if (isDown.value) response.destroy();
    return isDown.value || (await wrap?.(request, response));
  };
  const server = await serve({ models, wrap: answers });
  try {
    await use({ ...server, file, models, isDown });
  } finally {
    server.close();
    await rm(models, { recursive: true });
  }
}

const modelRequests = ({ requests }) => requests.filter(({ url }) => MODEL_REQUEST.test(url));

async function toModels(page) {
  await toView(page, "models");
  await stage(page, "GPU", "done");
  await page.locator(".what-is-where").waitFor();
}

async function checkAddress(page) {
  await page.getByLabel("Address of a GGUF file").fill(`models/${NAME}`);
  await page.getByRole("button", { name: "Check the address" }).click();
  await page.locator(".fit").waitFor();
}

async function loadAddress(page) {
  await checkAddress(page);
  await page.getByRole("button", { name: /^Load · / }).click();
}

/** What the view says is kept of models, in bytes. */
const keptBytes = (page) => page.locator("[data-kept-bytes]").getAttribute("data-kept-bytes").then(Number);

/** The view says this of what is kept. */
function card(page, state) {
  return page.locator(`.model-list [data-state="${state}"]`);
}

async function loadFailure(page, code) {
  const shown = page.locator(".load-failure .failure");
  await shown.waitFor();
  equal(await shown.getAttribute("data-code"), code, "code");
  return shown;
}

/** Ends the first whole answer after so many bytes. */
function cutOnce(bytes) {
  let isCut = false;
  return (request, response) => {
    if (isCut || request.headers.range !== "bytes=0-") return false;
    isCut = true;
    const write = response.write.bind(response);
    let sent = 0;
    response.write = (chunk, ...rest) => {
      sent += chunk.length;
      if (sent <= bytes) return write(chunk, ...rest);
      // What was sent has arrived before the connection goes.
      setTimeout(() => response.destroy(), 500);
      return false;
    };
    return false;
  };
}

export function modelsChecks(gpu, server) {
  return {
    "models: what can be loaded and what is kept, before anything is": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      await toModels(page);
      const text = await page.locator(".models").innerText();
      for (const words of [
        "b179c9523d0e6a0f",
        "98,362,432 bytes",
        "Apache-2.0",
        "nothing yet",
        "no result is stored",
      ]) {
        ok(text.includes(words), `${words} is not in:\n${text}`);
      }
      await lookAt(page, "models");
      await page.getByLabel("Language").selectOption("ko");
      await page.getByText("이 브라우저에 보관된 모델").waitFor();
      await lookAt(page, "models-ko");
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

    "models: the built-in model is downloaded with its progress, kept, and the second visit asks no server":
      async () => {
        const { page, errors, close } = await open(gpu, server.url);
        await toModels(page);
        await page.getByRole("button", { name: "Download and load · 98.4 MB" }).click();
        const line = page.locator(".models > .load-line");
        await line.getByText(/[3-9]\d\.\d of 98\.4 MB/).waitFor();
        const bar = line.locator("progress");
        equal(await bar.getAttribute("aria-label"), "Model download", "name of the bar");
        equal(await bar.getAttribute("max"), "98362432", "its end");
        ok(Number(await bar.getAttribute("value")) >= 30_000_000, "its value");
        await shot(page, "dl-progress", { fullPage: true });
        await page.locator(".loaded-now").waitFor({ timeout: 180_000 });
        await page.getByText(/whole, its hash was right on/).waitFor();
        equal(await keptBytes(page), 98_362_432, "bytes kept");
        await lookAt(page, "cache-list");

        const n_before = modelRequests(server).length;
        await page.reload();
        await toModels(page);
        const startedAt = performance.now();
        await page.getByRole("button", { name: "Load from this browser" }).click();
        await page.locator(".loaded-now").waitFor({ timeout: 180_000 });
        console.log(
          `      ready from storage after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
        );
        equal(modelRequests(server).length, n_before, "requests for the model on the second visit");
        await page.getByText("no server is asked").waitFor();

        await page.getByRole("button", { name: /^Delete SmolLM2/ }).click();
        await page.getByText("No model is kept here yet").waitFor();
        const focused = await page.evaluate(() => document.activeElement?.id);
        equal(focused, "stored-heading", "what has the focus after deleting");
        equal(await keptBytes(page), 0, "bytes kept after deleting");
        const files = await page.evaluate(async () => {
          const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("models");
          return (await Array.fromAsync(folder.keys())).join();
        });
        equal(files, "", "files left");
        equal(errors.join("\n"), "", "console errors");
        await close();
      },

    "models: B125, B134: a cut download is kept as incomplete, and resumed at the next visit by the rest alone":
      async () => {
        await servingTiny(async (site) => {
          const { page, close } = await open(gpu, site.url);
          await toModels(page);
          await loadAddress(page);
          await loadFailure(page, "download-cut");
          await card(page, "incomplete").waitFor();
          await lookAt(page, "dl-cut");
          const kept = await keptBytes(page);
          ok(kept > 0 && kept < site.file.buffer.length, `${kept} bytes are kept`);

          await page.reload();
          await toModels(page);
          await card(page, "incomplete")
            .getByRole("button", { name: /^Resume/ })
            .click();
          await page.locator(".loaded-now").waitFor();
          equal(modelRequests(site).at(-1).range, `bytes=${kept}-`, "what was asked for");
          await card(page, "verified").waitFor();

          // While it is read nobody deletes it, and that is said where it was asked for.
          await page.evaluate(async () => {
            const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("models");
            const names = await Array.fromAsync(folder.keys());
            const id = names.find((name) => name.endsWith(".gguf")).replace(".gguf", "");
            await new Promise((held) => {
              navigator.locks.request(`lastbit-model-${id}`, () => {
                held();
                return new Promise(() => undefined);
              });
            });
          });
          await card(page, "verified")
            .getByRole("button", { name: /^Delete/ })
            .click();
          await card(page, "verified").getByText("It is being read or written").waitFor();
          await page.locator(".status", { hasText: "It is being read or written" }).waitFor();
          await close();
        }, cutOnce(150_000));
      },

    "models: B131: a flipped byte ends in the hash that was expected and the one found; the retry works":
      async () => {
        let isBad = true;
        const spoiling = await serve({
          wrap: (request, response) => {
            if (!isBad || !MODEL_REQUEST.test(request.url)) return false;
            isBad = false;
            const write = response.write.bind(response);
            let sent = 0;
            response.write = (chunk, ...rest) => {
              const at = 98_361_000 - sent;
              sent += chunk.length;
              if (at < 0 || at >= chunk.length) return write(chunk, ...rest);
              const spoiled = Buffer.from(chunk);
              spoiled[at] ^= 1;
              return write(spoiled, ...rest);
            };
            return false;
          },
        });
        const { page, close } = await open(gpu, spoiling.url);
        await toModels(page);
        await page.getByRole("button", { name: "Download and load · 98.4 MB" }).click();
        const refused = page.locator(".load-failure .failure");
        await refused.waitFor({ timeout: 180_000 });
        equal(await refused.getAttribute("data-code"), "hash-mismatch", "code");
        const hashes = (await refused.innerText()).match(/[0-9a-f]{64}/g) ?? [];
        equal(new Set(hashes).size, 2, "hashes told");
        await lookAt(page, "dl-badhash");
        equal(await keptBytes(page), 0, "bytes kept of what is not the model");
        await refused.getByRole("button").click();
        await page.locator(".loaded-now").waitFor({ timeout: 180_000 });
        await page.getByText(/whole, its hash was right on/).waitFor();
        await close();
        spoiling.close();
      },

    "models: B138: two tabs load one model; one keeps it, the other says why it does not": async () => {
      let release = () => {};
      const released = new Promise((resolve) => {
        release = resolve;
      });
      let n_downloads = 0;
      const holding = async (request) => {
        if (request.headers.range !== "bytes=0-") return false;
        n_downloads += 1;
        if (n_downloads === 1) await released;
        return false;
      };
      await servingTiny(async (site) => {
        const { page: first, close } = await open(gpu, site.url);
        const second = await first.context().newPage();
        await second.goto(site.url);
        for (const page of [first, second]) {
          await toModels(page);
          await loadAddress(page);
          if (page === first) await page.locator(".models > .load-line > progress").waitFor();
        }
        await second.locator(".loaded-now").waitFor();
        await second.getByText("Another tab of this page is at this model").waitFor();
        await shot(second, "two-tabs", { fullPage: true });
        release();
        await first.locator(".loaded-now").waitFor();
        await card(first, "verified").waitFor();
        await close();
      }, holding);
    },

    "models: B139: a full storage is told with what is needed and free, and the model loads all the same":
      async () => {
        await servingTiny(async (site) => {
          const { page, close } = await open(gpu, site.url);
          const debug = await page.context().newCDPSession(page);
          const quota = (quotaSize) =>
            debug.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize });
          await quota(100_000);
          await toModels(page);
          await loadAddress(page);
          await page.locator(".loaded-now").waitFor();
          await page.getByText("This browser's storage is full").waitFor();
          await lookAt(page, "quota");
          const kept = await keptBytes(page);
          ok(kept < 100_000, `${kept} bytes are kept`);

          // Once there is room, the same model is kept.
          await quota(10_000_000);
          await page.reload();
          await toModels(page);
          await loadAddress(page);
          await card(page, "verified").waitFor();
          equal(await keptBytes(page), site.file.buffer.length, "bytes kept");
          await close();
        });
      },

    "models: B141: what the browser has cleared is listed as gone, and downloaded again": async () => {
      await servingTiny(async (site) => {
        const { page, close } = await open(gpu, site.url);
        await toModels(page);
        await loadAddress(page);
        await card(page, "verified").waitFor();
        await page.evaluate(async () => {
          const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("models");
          for (const name of await Array.fromAsync(folder.keys())) {
            if (name.endsWith(".gguf")) await folder.removeEntry(name);
          }
        });
        await page.reload();
        await toModels(page);
        await card(page, "gone").waitFor();
        await shot(page, "gone", { fullPage: true });
        await card(page, "gone").getByRole("button", { name: "Download again" }).click();
        await card(page, "verified").waitFor();
        await close();
      });
    },

    "models: B142: without storage of files a model loads, and that nothing is kept is said": async () => {
      await servingTiny(async (site) => {
        const context = await gpu.newContext(DESKTOP);
        const page = await context.newPage();
        // Refused to the page; what a worker does then is a test of its own.
        await page.addInitScript(() => {
          StorageManager.prototype.getDirectory = () =>
            Promise.reject(new DOMException("no", "SecurityError"));
        });
        await page.goto(site.url);
        await toModels(page);
        await page.getByText("This browser stores no files in this window").waitFor();
        await loadAddress(page);
        await page.locator(".loaded-now").waitFor();
        await shot(page, "no-storage", { fullPage: true });
        await context.close();
      });
    },

    "models: offline after one visit: every view at once; after a load, a run as well": async () => {
      await servingTiny(async (site) => {
        const { page, errors, close } = await open(gpu, site.url);
        const context = page.context();
        const offlineIs = (what) => page.locator(`[data-offline="${what}"]`).waitFor();
        await toModels(page);
        await offlineIs("views");
        equal(site.requests.filter(({ url }) => url.endsWith(".wasm")).length, 0, "engines before a click");

        await context.setOffline(true);
        site.isDown.value = true;
        await page.goto(site.url);
        const fork = page.locator('.take[data-order="by-shape"]');
        ok((await fork.innerText()).includes("They split at token 11"), "the recorded run");
        await shot(page, "offline-run", { fullPage: true });
        await toView(page, "lesson");
        await page.locator(".lesson-steps").waitFor();

        site.isDown.value = false;
        await context.setOffline(false);
        await page.goto(site.url);
        await toModels(page);
        await loadAddress(page);
        await card(page, "verified").waitFor();
        await offlineIs("everything");

        site.isDown.value = true;
        await context.setOffline(true);
        await page.goto(`${site.url}#/models`);
        await page.reload();
        await toModels(page);
        await offlineIs("everything");
        await card(page, "verified").getByRole("button", { name: "Load from this browser" }).click();
        await page.locator(".loaded-now").waitFor();
        await shot(page, "offline-loaded", { fullPage: true });
        const choices = {
          prompt: "One two three four five six.",
          order: "Invariant",
          formats: "int8",
          tokens: 4,
        };
        const { report } = await compare(page, choices);
        equal(report.verdict, "bit-identical", "verdict of an offline run");
        await toView(page, "why");
        await shot(page, "offline-why", { fullPage: true });
        equal(
          errors.filter((error) => !error.includes("ERR_INTERNET_DISCONNECTED")).join("\n"),
          "",
          "console errors",
        );
        await close();
      });
    },

    "models: a new version waits until no page of the old one is open, and never mixes with it": async () => {
      const dist = await mkdtemp(join(tmpdir(), "lastbit-"));
      await cp(folders.dist, dist, { recursive: true });
      const site = await serve({ dist });
      const { page, close } = await open(gpu, site.url);
      const other = await page.context().newPage();
      await toModels(page);
      await page.locator('[data-offline="views"]').waitFor();
      await other.goto(site.url);

      // The same page once more, built with another title.
      const index = await readFile(join(dist, "index.html"), "utf8");
      await writeFile(join(dist, "index.html"), index.replace("<title>lastbit", "<title>newer lastbit"));
      const worker = await readFile(join(dist, "service-worker.js"), "utf8");
      await writeFile(join(dist, "service-worker.js"), worker.replace(/"version":"./, '"version":"x'));
      await page.reload();
      await page.getByText("A new version of this page is ready.").waitFor();
      const html = () => page.evaluate(() => fetch("./").then((answer) => answer.text()));
      ok(!(await html()).includes("newer"), "the old version stays whole");
      await shot(page, "new-version");
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByText("Another tab still shows the old version").waitFor();
      await other.close();
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByText("A new version of this page is ready.").waitFor({ state: "detached" });
      ok((await html()).includes("newer"), "the new version has taken over");
      const caches = await page.evaluate(() => globalThis.caches.keys());
      equal(caches.length, 1, "caches left");
      await close();
      site.close();
      await rm(dist, { recursive: true });
    },

    "models: a view that a newer version has replaced says so, and offers the reload": async () => {
      const dist = await mkdtemp(join(tmpdir(), "lastbit-"));
      await cp(folders.dist, dist, { recursive: true });
      const site = await serve({ dist });
      const { page, close } = await open(gpu, site.url, { serviceWorkers: "block" });
      for (const name of await readdir(join(dist, "assets"))) {
        if (name.startsWith("lesson-view-")) await rm(join(dist, "assets", name));
      }
      await toView(page, "lesson");
      await page
        .getByText("There is a new version of this page, and this part of the old one is gone.")
        .waitFor();
      await cp(folders.dist, dist, { recursive: true });
      await page.getByRole("button", { name: "Reload" }).click();
      await page.locator(".lesson-steps").waitFor();
      await close();
      site.close();
      await rm(dist, { recursive: true });
    },

    "models: whether a model fits is told anew for other formats": async () => {
      await servingTiny(async (site) => {
        const { page, close } = await open(gpu, site.url);
        await toModels(page);
        await checkAddress(page);
        const caption = page.locator(".fit caption");
        equal(await caption.innerText(), "Keys and values, formats int8", "formats of the card");
        const n_before = modelRequests(site).length;
        await toView(page, "run");
        await page.getByLabel("f32", { exact: true }).check({ force: true });
        await toView(page, "models");
        await page.getByText("Keys and values, formats f32").waitFor();
        equal(modelRequests(site).length, n_before, "requests for that");
        await page.getByRole("button", { name: /^Load · / }).click();
        await loaded(page);
        await close();
      });
    },
  };
}
