// A person's own model on the page: picked, dropped, in parts, from an address; and everything that is refused.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DESKTOP, equal, launch, lookAt, ok, open, serve, shot } from "./harness.mjs";
import { choose, compare, loaded, openPicker, settled, stage, takeTheWayOut, toView } from "./steps.mjs";
import { htmlFile, patched, tinyFile, tinyParts } from "./tiny-model.mjs";

const LOAD = { name: /^Load · / };
const sha256 = (buffer) => createHash("sha256").update(buffer).digest("hex");

async function pick(page, files) {
  await openPicker(page);
  await page.getByLabel("GGUF file, or all parts of one").setInputFiles(files);
}

/** Opens the ways to another model, chooses these files, and waits for what the page says of them. */
export async function pickAndSee(page, files) {
  await pick(page, files);
  await page.locator(".fit, .models > .failure").waitFor();
}

export async function loadPicked(page) {
  await page.getByRole("button", LOAD).click();
  await page.locator(".fit").waitFor({ state: "hidden" });
  await loaded(page);
}

/** What the page says was refused, and that it is this. */
async function refusal(page, code, words) {
  const shown = page.locator(".models > .failure");
  await shown.waitFor();
  equal(await shown.getAttribute("data-code"), code, "code");
  const text = await shown.innerText();
  for (const word of ["What happened", "What still works", "What to do", code, words]) {
    ok(text.includes(word), `${JSON.stringify(word)} is not in:\n${text}`);
  }
  return shown;
}

/** A row of the details of the loaded model. */
async function detail(page, name) {
  await toView(page, "run");
  const details = page.locator(".load > details", { hasText: "self-test" });
  if (!(await details.evaluate((element) => element.open))) await details.locator("summary").click();
  return page
    .locator(".load .facts dt", { hasText: new RegExp(`^${name}$`) })
    .locator("+ dd")
    .innerText();
}

/** A comparison on whatever is loaded, small enough for a moment. */
async function tinyComparison(page) {
  const choices = { prompt: "One two three four five six.", order: "Invariant", formats: "int8", tokens: 4 };
  const { report } = await compare(page, choices);
  equal(report.verdict, "bit-identical", "verdict");
  equal(report.control.same_bits, true, "control");
  ok(report.exposure > 0, "the warm run reused something");
  return report;
}

/** Drops files in the middle of the page, as a browser does. */
async function drop(page, files) {
  const transfer = await page.evaluateHandle(
    (given) => {
      const held = new DataTransfer();
      for (const { name, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        held.items.add(new File([bytes], name));
      }
      return held;
    },
    files.map(({ name, buffer }) => ({ name, base64: buffer.toString("base64") })),
  );
  await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
  await page.locator(".drop-target").waitFor();
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
  await page.locator(".drop-target").waitFor({ state: "hidden" });
}

async function typeAddress(page, address) {
  await openPicker(page);
  await page.getByLabel("Address of a GGUF file").fill(address);
  await page.getByRole("button", { name: "Check the address" }).click();
}

/** The first piece of a file that is read for its header (header-reading.ts). */
const HEADER_PIECE_BYTES = 1 << 20;

/** Clicks Cancel beside a load's progress; says how long it took the page to be idle. */
async function cancelLoad(page) {
  const elapsed = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const startedAt = performance.now();
        const observer = new MutationObserver(() => {
          if (!document.querySelector(".load-failure .failure")) return;
          observer.disconnect();
          resolve(performance.now() - startedAt);
        });
        observer.observe(document.body, { childList: true, subtree: true });
        document.querySelector(".models > .load-line button").click();
      }),
  );
  console.log(`      idle ${elapsed.toFixed(0)} ms after Cancel`);
  const shown = page.locator(".load-failure .failure");
  equal(await shown.getAttribute("data-code"), "download-cancelled", "code");
  return shown;
}

const engineWorker = (page) => page.workers().find((worker) => worker.url().includes("engine-worker"));

/** From now on nothing that the engine wants to read back from the GPU arrives, until the function that this gives is called. */
async function holdReadbacks(page) {
  const engine = engineWorker(page);
  await engine.evaluate(() => {
    const { mapAsync } = GPUBuffer.prototype;
    const held = new Promise((resolve) => {
      globalThis.release = resolve;
    });
    GPUBuffer.prototype.mapAsync = async function (...args) {
      await held;
      return mapAsync.apply(this, args);
    };
  });
  return () => engine.evaluate(() => globalThis.release());
}

/** Counts, from now on, what the engine's worker reads of files and allocates on the GPU, and how many workers are started. */
async function countedWork(page) {
  let workers = 0;
  page.on("worker", () => {
    workers += 1;
  });
  const engine = engineWorker(page);
  await engine.evaluate(() => {
    const counted = { bytes_read: 0, gpu_bytes: 0 };
    globalThis.counted = counted;
    const { arrayBuffer } = Blob.prototype;
    Blob.prototype.arrayBuffer = function () {
      counted.bytes_read += this.size;
      return arrayBuffer.call(this);
    };
    const { createBuffer } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      counted.gpu_bytes += descriptor.size;
      return createBuffer.call(this, descriptor);
    };
  });
  return async () => ({ workers, ...(await engine.evaluate(() => globalThis.counted)) });
}

/** A folder of models that is served; gone after `use`. */
async function served(files, options, use) {
  const models = await mkdtemp(join(tmpdir(), "lastbit-"));
  for (const { name, buffer } of files) await writeFile(join(models, name), buffer);
  const server = await serve({ models, ...options });
  try {
    await use(server);
  } finally {
    server.close();
    await rm(models, { recursive: true });
  }
}

/** An https server of another origin, with one file and the header that lets pages read it. */
async function elsewhere(file) {
  const folder = await mkdtemp(join(tmpdir(), "lastbit-"));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name));
  const subject = ["-subj", "/CN=localhost", "-days", "2"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject];
  execFileSync("openssl", made, { stdio: "ignore" });
  const requests = [];
  const server = createServer(
    { key: await readFile(key), cert: await readFile(cert) },
    (request, response) => {
      requests.push(request.headers);
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.end(file.buffer);
    },
  );
  await rm(folder, { recursive: true });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `https://127.0.0.1:${server.address().port}/`, requests, close: () => server.close() };
}

export function ownModelChecks(gpu, server) {
  return {
    "own file: the header says whether it fits, then it is loaded, compared, and its hash is shown":
      async () => {
        const { page, errors, close } = await open(gpu, server.url);
        await stage(page, "GPU", "done");
        const file = tinyFile();
        await openPicker(page);
        await shot(page, "picker", { fullPage: true });
        await pickAndSee(page, [file]);
        const card = await page.locator(".fit").innerText();
        for (const words of ["Yes, it fits", "lastbit tiny model", "llama, 3 blocks", "2,048", "Q4_1"]) {
          ok(card.includes(words), `${words} is not in:\n${card}`);
        }
        await lookAt(page, "own-fit");
        await loadPicked(page);
        equal(await detail(page, "SHA-256"), sha256(file.buffer), "hash");
        equal(await detail(page, "File"), "tiny.gguf", "file");
        const line = await page.locator(".load-line > p").innerText();
        ok(line.startsWith("lastbit tiny model, random weights on "), line);
        await tinyComparison(page);
        await shot(page, "own-compared", { fullPage: true });
        equal(errors.join("\n"), "", "console errors");
        await close();
      },

    "refused files lose nothing: their headers alone are read, and the loaded model runs as before":
      async () => {
        const { page, errors, close } = await open(gpu, server.url);
        await stage(page, "GPU", "done");
        const work = await countedWork(page);
        await pickAndSee(page, [htmlFile("first.gguf")]);
        const early = await refusal(page, "bad-file", "comes with this page, can be");
        await early.getByRole("button", { name: "Dismiss" }).click();
        await early.waitFor({ state: "hidden" });
        await pickAndSee(page, [tinyFile()]);
        await loadPicked(page);
        const before = await tinyComparison(page);

        const whole = tinyFile();
        const large = (file) => ({ ...file, buffer: Buffer.concat([file.buffer, Buffer.alloc(8 << 20)]) });
        const cut = (length) => ({ ...whole, buffer: whole.buffer.subarray(0, length) });
        const but999 = whole.buffer.length - 999;
        // What is read of a large file is one piece, in which its header ends.
        const cases = [
          [large(htmlFile("page.gguf")), "an HTML or XML page", HEADER_PIECE_BYTES],
          [cut(0), "GGUF_EMPTY", 0],
          [cut(5000), "GGUF_", 5000],
          [cut(but999), "GGUF_OFFSET", but999],
          [large(patched(whole, "llama", "mamba")), "MODEL_ARCH", HEADER_PIECE_BYTES],
          [
            large(patched(whole, "blk.1.ffn_up.weight", "blk.1.ffn_xx.weight")),
            "MODEL_TENSOR",
            HEADER_PIECE_BYTES,
          ],
        ];
        for (const [file, words, bytes_read] of cases) {
          await openPicker(page);
          const workBefore = await work();
          const startedAt = performance.now();
          await pick(page, [file]);
          const shown = await refusal(page, "bad-file", words);
          console.log(`      refused after ${(performance.now() - startedAt).toFixed(0)} ms: ${words}`);
          const after = await work();
          equal(after.bytes_read - workBefore.bytes_read, bytes_read, `bytes read of the file: ${words}`);
          equal(after.gpu_bytes, workBefore.gpu_bytes, "bytes allocated on the GPU");
          equal(after.workers, workBefore.workers, "workers started");
          ok(
            (await shown.innerText()).includes("lastbit tiny model, random weights stays loaded"),
            "what stays",
          );
          if (file.name === "page.gguf") await lookAt(page, "own-refused");
          await shown.getByRole("button", { name: "Dismiss" }).click();
          await shown.waitFor({ state: "hidden" });
        }
        await pick(page, [htmlFile("page.gguf")]);
        const again = await refusal(page, "bad-file", "GGUF_MAGIC");
        const after = await tinyComparison(page);
        const hashes = ({ runs }) =>
          runs.map(({ steps }) => steps.map(({ logits_hash }) => logits_hash).join());
        equal(hashes(after).join("\n"), hashes(before).join("\n"), "the bits of every run");

        await toView(page, "models");
        await again.getByRole("button", { name: "Choose another file" }).click();
        await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
        const focused = await page.evaluate(() => document.activeElement?.getAttribute("type"));
        equal(focused, "file", "the way out leads to the files");
        equal(errors.join("\n"), "", "console errors");
        await close();
      },

    "ten files of the list of bad inputs are refused with its codes": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      await openPicker(page);
      const list = JSON.parse(await readFile(new URL("fixtures/bad-files.json", import.meta.url), "utf8"));
      equal(list.length, 10, "files");
      for (const { row, hex, len_bytes, expected } of list) {
        const buffer = Buffer.alloc(len_bytes);
        buffer.write(hex, "hex");
        await pick(page, [{ name: `${row}.gguf`, mimeType: "application/octet-stream", buffer }]);
        const shown = await refusal(page, "bad-file", `(${expected})`);
        await shown.getByRole("button", { name: "Dismiss" }).click();
        await shown.waitFor({ state: "hidden" });
      }
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

    "a file that breaks in the middle is refused, and the model before it still runs": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      await pickAndSee(page, [tinyFile("good.gguf")]);
      await loadPicked(page);
      const spoiled = tinyFile("spoiled.gguf", 4);
      spoiled.buffer.fill(0xff, spoiled.buffer.length - 64);
      await pickAndSee(page, [spoiled]);
      await page.getByRole("button", LOAD).click();
      const shown = page.locator(".load-failure .failure");
      await shown.waitFor();
      equal(await shown.getAttribute("data-code"), "bad-file", "code");
      ok((await shown.innerText()).includes("WEIGHT_NAN"), await shown.innerText());
      ok((await shown.innerText()).includes("stays loaded"), await shown.innerText());
      await page.getByRole("button", { name: /Go back to SmolLM2/ }).click();
      await tinyComparison(page);
      equal(await detail(page, "File"), "good.gguf", "what is loaded");
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

    "an unknown pre-tokenizer: refused by name, loaded anyway when asked, and the record keeps that":
      async () => {
        const { page, errors, close } = await open(gpu, server.url);
        await stage(page, "GPU", "done");
        await pickAndSee(page, [patched(tinyFile("strange.gguf"), "smollm", "qwen99")]);
        const shown = await refusal(page, "unknown-pre-tokenizer", "qwen99");
        await lookAt(page, "own-load-anyway");
        await shown.getByRole("button", { name: "Load anyway" }).click();
        await loaded(page);
        ok((await detail(page, "Tokenizer")).includes("ids may be wrong"), await detail(page, "Tokenizer"));
        const kept = await page.evaluate(() =>
          globalThis.responses.findLast((result) => "processor" in result),
        );
        const { pre_tokenizer, rule, loaded_anyway } = kept.model.tokenizer;
        equal([pre_tokenizer, rule, loaded_anyway].join(), "qwen99,default,true", "the record");
        await tinyComparison(page);
        equal(errors.join("\n"), "", "console errors");
        await close();
      },

    "B064: dropped parts are put in order; missing, doubled and foreign ones are named": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      const [a, b, c] = tinyParts("split", 3);
      const [, foreign] = tinyParts("other", 3);
      await drop(page, [b]);
      await refusal(page, "bad-file", "part 2 is here, parts 1, 3 are missing");
      await shot(page, "own-parts-missing", { fullPage: true });
      await drop(page, [a, b, b]);
      await refusal(page, "bad-file", "are both part 2 of 3");
      await drop(page, [a, foreign, c]);
      await refusal(page, "bad-file", "are parts of different models");
      await drop(page, [tinyFile("one.gguf"), tinyFile("two.gguf", 4)]);
      await refusal(page, "bad-file", "MODEL_SHARDS");
      await drop(page, [c, a, b]);
      await page.locator(".fit").waitFor();
      ok((await page.locator(".fit").innerText()).includes("Files, 3 parts"), "the parts are told");
      await loadPicked(page);
      const hash = sha256(Buffer.concat([a, b, c].map(({ buffer }) => buffer)));
      equal(await detail(page, "SHA-256 of all parts in order"), hash, "hash");
      const split = await tinyComparison(page);
      await drop(page, [tinyFile()]);
      await page.locator(".fit").waitFor();
      await loadPicked(page);
      const whole = await tinyComparison(page);
      const hashes = ({ runs }) =>
        runs.map(({ steps }) => steps.map(({ logits_hash }) => logits_hash).join());
      equal(hashes(split).join("\n"), hashes(whole).join("\n"), "parts and whole give the same bits");
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

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

    "without a GPU an own file runs on the CPU twin, whole or in parts": async () => {
      const withoutAdapter = await launch("noAdapter");
      const { page, errors, close } = await open(withoutAdapter, server.url);
      await page.locator(".offer").waitFor();
      await pickAndSee(page, tinyParts("split", 2).reverse());
      const card = await page.locator(".fit").innerText();
      ok(!card.includes("see at once"), `the twin binds nothing:\n${card}`);
      await choose(page, { prompt: "One two three four five six.", order: "Invariant", tokens: 4 });
      await page.getByRole("button", { name: /Run it on the CPU/ }).click();
      const report = await settled(page);
      equal(report.verdict, "bit-identical", "verdict");
      await shot(page, "own-twin", { fullPage: true });
      equal(errors.join("\n"), "", "console errors");
      await close();
      await withoutAdapter.close();
    },

    "B098: several chat templates: the default is used, another can be chosen": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      const templates = ["shout", "{{ messages[0].content | upper }}"];
      await pickAndSee(page, [tinyFile("templates.gguf", 3, templates)]);
      await loadPicked(page);
      equal(await detail(page, "Chat template"), "the file's default; also shout", "templates of the file");
      const sent = (report) => report.prompt.map(({ text }) => text).join("");
      const byDefault = sent(await tinyComparison(page));
      ok(byDefault.includes("<|im_start|>"), byDefault);
      await page.getByText("More settings").click();
      await page.getByLabel("Chat template").selectOption("shout");
      await shot(page, "own-template", { fullPage: true });
      equal(sent(await tinyComparison(page)), "ONE TWO THREE FOUR FIVE SIX.", "what was sent");
      equal(await detail(page, "Chat template"), "shout", "the template in use");
      await page.getByText("The chat template is not a known one.").waitFor();
      // A known layout takes the place of what the file brings.
      await page.getByLabel("Chat template").selectOption("known: ChatML");
      const laidOut = sent(await tinyComparison(page));
      equal(laidOut.split("<|im_start|>").length - 1, 2, `turns in ${laidOut}`);
      await page.getByText("The chat template is not a known one.").waitFor({ state: "hidden" });
      equal(errors.join("\n"), "", "console errors");
      await close();
    },

    "back to the built-in model while another is loaded": async () => {
      const { page, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      await pickAndSee(page, [tinyFile()]);
      await loadPicked(page);
      await openPicker(page);
      await page.getByRole("button", { name: "Download and load · 98.4 MB" }).click();
      await page
        .locator(".models > .load-line")
        .getByText(/of 98\.4 MB/)
        .waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      const stopped = page.locator(".load-failure .failure");
      await stopped.waitFor();
      ok((await stopped.innerText()).includes("stays loaded"), await stopped.innerText());
      await stopped.getByRole("button", { name: "Dismiss" }).click();
      await stopped.waitFor({ state: "hidden" });
      await tinyComparison(page);
      await close();
    },
  };
}
