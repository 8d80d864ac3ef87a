// A model from an address that a person types: checked, cut, changed, cancelled, in parts, elsewhere, refused.

import { holdReadbacks } from "./engine-worker.mjs";
import { DESKTOP, equal, lookAt, ok, open, shot } from "./harness.mjs";
import {
  cancelLoad,
  detail,
  elsewhere,
  LOAD,
  loadPicked,
  refusal,
  served,
  sha256,
  tinyComparison,
  typeAddress,
} from "./own-steps.mjs";
import { loaded, stage, takeTheWayOut, toView } from "./steps.mjs";
import { htmlFile, tinyFile, tinyParts } from "./tiny-model.mjs";

export function ownAddressChecks(gpu, server) {
  return {
    "B125: an address: checked by its header, cut in the middle, continued, compared": async () => {
      let n_cut = 0;
      const file = tinyFile("served.gguf");
      const cutting = (request, response) => {
        // The check comes first and asks for a first piece; the download asks for all.
        if (n_cut > 0 || request.headers.range !== "bytes=0-") return false;
        n_cut += 1;
        const write = response.write.bind(response);
        let sent = 0;
        response.write = (chunk, ...rest) => {
          sent += chunk.length;
          if (sent <= 150_000) return write(chunk, ...rest);
          // What was sent has arrived before the connection goes; the rest waits for ever.
          setTimeout(() => response.destroy(), 500);
          return false;
        };
        return false;
      };
      await served([file], { wrap: cutting }, async (site) => {
        const { page, close } = await open(gpu, site.url);
        await stage(page, "GPU", "done");
        await typeAddress(page, "models/served.gguf");
        await page.locator(".fit").waitFor();
        const asked = site.requests.filter(({ url }) => url.startsWith("/models/"));
        equal(asked.length, 1, "requests of the check");
        await page.getByRole("button", LOAD).click();
        const cut = page.locator(".load-failure .failure");
        await cut.waitFor();
        equal(await cut.getAttribute("data-code"), "download-cut", "code");
        await takeTheWayOut(cut);
        await loaded(page);
        const [, , rest] = site.requests.filter(({ url }) => url.startsWith("/models/"));
        ok(/^bytes=[1-9]\d*-$/.test(rest.range ?? ""), `the rest was asked for: ${rest.range}`);
        equal(await detail(page, "SHA-256"), sha256(file.buffer), "hash");
        await tinyComparison(page);
        await close();
      });
    },

    "B133: cancel during verification: idle at once, the model before it runs on, and nothing is downloaded twice":
      async () => {
        const [first, second] = [tinyFile("first.gguf"), tinyFile("second.gguf", 4)];
        await served([first, second], {}, async (site) => {
          const { page, errors, close } = await open(gpu, site.url);
          await stage(page, "GPU", "done");
          await typeAddress(page, "models/first.gguf");
          await page.locator(".fit").waitFor();
          await loadPicked(page);
          const before = await tinyComparison(page);

          const cancel = async (start) => {
            const release = await holdReadbacks(page);
            await start.click();
            const line = page.locator(".models > .load-line");
            await line.getByText("Checking the hash").waitFor();
            const shown = await cancelLoad(page);
            await release();
            return shown;
          };
          await typeAddress(page, "models/second.gguf");
          await page.locator(".fit").waitFor();
          const stopped = await cancel(page.getByRole("button", LOAD));
          ok((await stopped.innerText()).includes("checked and made ready"), await stopped.innerText());
          ok((await stopped.innerText()).includes("stays loaded"), await stopped.innerText());
          await page.locator('.model-list [data-state="incomplete"]').waitFor();
          await lookAt(page, "own-cancelled-verify");
          await stopped.getByRole("button", { name: "Dismiss" }).click();
          await stopped.waitFor({ state: "hidden" });
          const after = await tinyComparison(page);
          const hashes = ({ runs }) =>
            runs.map(({ steps }) => steps.map(({ logits_hash }) => logits_hash).join());
          equal(hashes(after).join("\n"), hashes(before).join("\n"), "the bits of the model before it");

          const n_asked = site.requests.filter(({ url }) => url.startsWith("/models/")).length;
          await toView(page, "models");
          await loadPicked(page);
          equal(await detail(page, "SHA-256"), sha256(second.buffer), "hash");
          // The comparison on show is the first model's: no other is asked about it.
          await toView(page, "why");
          await page.getByText("is not the one that is loaded").waitFor();
          const questions = page.locator(".why .why-offer > button");
          ok((await questions.count()) >= 4, "questions");
          for (const question of await questions.all()) ok(await question.isDisabled(), "a question is open");

          // And of a model that is stored whole.
          await page.reload();
          await toView(page, "models");
          await stage(page, "GPU", "done");
          const kept = page.locator('.model-list [data-state="verified"]');
          const load = (index) => kept.nth(index).getByRole("button", { name: "Load from this browser" });
          // The first one starts the engine, which reads back as well.
          await load(0).click();
          await page.locator(".loaded-now").waitFor();
          await (await cancel(load(1))).getByRole("button", { name: "Dismiss" }).click();
          equal(await kept.count(), 2, "models kept");
          await load(1).click();
          await page.locator(".fit").waitFor({ state: "hidden" });
          await loaded(page);
          equal(site.requests.filter(({ url }) => url.startsWith("/models/")).length, n_asked, "requests");
          equal(errors.join("\n"), "", "console errors");
          await close();
        });
      },

    "B129: an address whose file changes is taken from 0, never stitched, and that is said": async () => {
      const [old, fresh] = [tinyFile("m.gguf", 3), tinyFile("m.gguf", 4)];
      let n_downloads = 0;
      const changing = (request, response) => {
        if (!request.url.startsWith("/models/") || request.headers.range?.endsWith("-") === false)
          return false;
        n_downloads += 1;
        response.setHeader("ETag", n_downloads === 1 ? '"old"' : '"fresh"');
        response.setHeader("Accept-Ranges", "bytes");
        if (n_downloads === 1) {
          response.writeHead(206, {
            "Content-Range": `bytes 0-${old.buffer.length - 1}/${old.buffer.length}`,
          });
          response.write(old.buffer.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 100));
        } else {
          equal(request.headers["if-range"], '"old"', "the version that was begun is asked for");
          response.writeHead(200);
          // Slow enough that the page can be read.
          response.write(fresh.buffer.subarray(0, 1000));
          setTimeout(() => response.end(fresh.buffer.subarray(1000)), 1500);
        }
        return true;
      };
      await served([old], { wrap: changing }, async (site) => {
        const { page, close } = await open(gpu, site.url);
        await stage(page, "GPU", "done");
        await typeAddress(page, `${site.url}models/m.gguf`);
        await page.getByRole("button", LOAD).click();
        const cut = page.locator(".load-failure .failure");
        await cut.waitFor();
        await takeTheWayOut(cut);
        await page.locator(".models").getByText("another one now, so it starts again from 0").waitFor();
        await shot(page, "own-restarted", { fullPage: true });
        await loaded(page);
        equal(await detail(page, "SHA-256"), sha256(fresh.buffer), "hash");
        await close();
      });
    },

    "split by address: one part's address names all, they are read, loaded, kept and cancelled as one model":
      async () => {
        const parts = tinyParts("split", 3);
        const total = parts.reduce((sum, { buffer }) => sum + buffer.length, 0);
        let release = () => {};
        let held = new Promise((resolve) => {
          release = resolve;
        });
        const holding = async (request) => {
          const isSecond = /split-00002-of-00003\.gguf\?key=a%2Fb$/.test(request.url);
          if (isSecond && request.headers.range?.endsWith("-")) await held;
          return false;
        };
        await served(parts, { wrap: holding }, async (site) => {
          const { page, errors, close } = await open(gpu, site.url);
          await stage(page, "GPU", "done");
          const asked = () => site.requests.filter(({ url }) => url.startsWith("/models/"));
          await typeAddress(page, "models/split-00002-of-00003.gguf?key=a%2Fb");
          await page.locator(".fit").waitFor();
          const names = asked().map(({ url }) => url.replace(/^.*split-0000(.)-of-00003\.gguf/, "$1 "));
          equal(names.join(), "1 ?key=a%2Fb,2 ?key=a%2Fb,3 ?key=a%2Fb", "what the check asked for");
          const card = await page.locator(".fit").innerText();
          ok(card.includes("Files, 3 parts") && card.includes(total.toLocaleString("en")), card);
          await lookAt(page, "split-fit");

          await page.getByRole("button", LOAD).click();
          const line = page.locator(".models > .load-line");
          await line.getByText("Part 2 of 3").waitFor();
          const bar = line.locator("progress");
          equal(await bar.getAttribute("max"), String(total), "the end of the bar");
          equal(await bar.getAttribute("value"), String(parts[0].buffer.length), "the first part is here");
          await lookAt(page, "split-progress");
          const n_before = asked().length;
          const stopped = await cancelLoad(page);
          equal(asked().length, n_before, "requests after the cancel");
          await page.locator('.model-list [data-state="incomplete"]').waitFor();
          equal(await page.locator(".model-list > li").count(), 1, "cards of the model");

          release();
          held = Promise.resolve();
          await takeTheWayOut(stopped);
          await loaded(page);
          const downloads = asked().filter(({ range }) => range?.endsWith("-"));
          const firsts = downloads.filter(({ url }) => url.includes("-00001-of-"));
          equal(firsts.length, 1, "the first part is downloaded once");
          const hash = sha256(Buffer.concat(parts.map(({ buffer }) => buffer)));
          equal(await detail(page, "SHA-256 of all parts in order"), hash, "hash");
          await tinyComparison(page);

          await toView(page, "models");
          const kept = page.locator('.model-list [data-state="verified"]');
          await kept.waitFor();
          for (const { buffer } of parts) {
            ok((await kept.innerText()).includes(sha256(buffer)), "each part has its hash");
          }
          await lookAt(page, "split-kept");
          const n_loaded = asked().length;
          await page.reload();
          await toView(page, "models");
          await stage(page, "GPU", "done");
          await kept.getByRole("button", { name: "Load from this browser" }).click();
          await page.locator(".loaded-now").waitFor();
          await page.getByText("no server is asked").waitFor();
          equal(asked().length, n_loaded, "requests at the next visit");
          await kept.getByRole("button", { name: /^Delete/ }).click();
          await page.getByText("No model is kept here yet").waitFor();
          equal(errors.join("\n"), "", "console errors");
          await close();
        });
      },

    "split by address: a part that is missing, or of another model, is named before anything is loaded":
      async () => {
        const [a, b, c] = tinyParts("split", 3);
        const [, foreign] = tinyParts("split", 4);
        await served([a, b], {}, async (site) => {
          const { page, close } = await open(gpu, site.url);
          await stage(page, "GPU", "done");
          await typeAddress(page, "models/split-00001-of-00003.gguf");
          const shown = await refusal(
            page,
            "download-http",
            "Part 3 of 3: The server answered with status 404",
          );
          await lookAt(page, "split-missing");
          ok((await shown.innerText()).includes("split-00003-of-00003.gguf"), "its address");
          await close();
        });
        await served([a, { ...foreign, name: b.name }, c], {}, async (site) => {
          const { page, close } = await open(gpu, site.url);
          await stage(page, "GPU", "done");
          await typeAddress(page, "models/split-00003-of-00003.gguf");
          await refusal(page, "bad-file", "split-00002-of-00003.gguf");
          const downloads = site.requests.filter(
            ({ url, range }) => /models/.test(url) && range?.endsWith("-"),
          );
          equal(downloads.length, 0, "downloads");
          await close();
        });
      },

    "B117, B123, B124: addresses that cannot be: each has its own words, and other sites are not asked over http":
      async () => {
        await served([htmlFile("page.gguf")], {}, async (other) => {
          const { page, close } = await open(gpu, server.url);
          await stage(page, "GPU", "done");
          await typeAddress(page, `${other.url}models/page.gguf`);
          await refusal(page, "bad-address", "only https, or a path on this site");
          await typeAddress(page, "models/nowhere.gguf");
          await refusal(page, "download-http", "status 404");
          await typeAddress(page, "index.html");
          await refusal(page, "bad-file", "an HTML or XML page");
          await typeAddress(page, "https://127.0.0.1:9/m.gguf");
          await refusal(page, "download-network", "127.0.0.1:9");
          await shot(page, "own-address-refused", { fullPage: true });
          equal(other.requests.length, 0, "requests to the other site");
          await close();
        });
      },

    "B137: another host is reached over https by the download alone; the page cannot": async () => {
      const file = tinyFile("far.gguf");
      const far = await elsewhere(file);
      const { page, close } = await open(gpu, server.url, { ...DESKTOP, ignoreHTTPSErrors: true });
      await stage(page, "GPU", "done");
      const refused = await page.evaluate((url) => fetch(url).then(String, String), far.url);
      ok(refused.includes("TypeError"), `the page reached the other host: ${refused}`);
      equal(far.requests.length, 0, "requests of the page");
      await typeAddress(page, `${far.url}far.gguf`);
      await page.locator(".fit").waitFor();
      await loadPicked(page);
      equal(await detail(page, "SHA-256"), sha256(file.buffer), "hash");
      ok(
        far.requests.every(({ cookie, referer }) => !cookie && !referer),
        "nothing of the visitor is sent along",
      );
      await tinyComparison(page);
      await close();
      far.close();
    },
  };
}
