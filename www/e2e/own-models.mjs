// A person's own model on the page: picked, dropped, in parts; and everything that is refused.
import { readFile } from "node:fs/promises";
import { countedWork } from "./engine-worker.mjs";
import { equal, launch, lookAt, ok, open, shot } from "./harness.mjs";
import {
  detail,
  drop,
  LOAD,
  loadPicked,
  pick,
  pickAndSee,
  refusal,
  sha256,
  tinyComparison,
} from "./own-steps.mjs";
import { choose, loaded, openPicker, settled, stage, toView } from "./steps.mjs";
import { htmlFile, patched, tinyFile, tinyParts } from "./tiny-model.mjs";

/** The first piece of a file that is read for its header (header-reading.ts). */
const HEADER_PIECE_BYTES = 1 << 20;

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
        const strange = patched(tinyFile("strange.gguf"), "smollm", "qwen99");
        // Its last matrix, as where a download was filled up; behind it are 7 norms of 96 numbers.
        const norms = strange.buffer.length - 7 * 96 * 4;
        strange.buffer.fill(0, norms - 11_520, norms);
        await pickAndSee(page, [strange]);
        const shown = await refusal(page, "unknown-pre-tokenizer", "qwen99");
        await lookAt(page, "own-load-anyway");
        await shown.getByRole("button", { name: "Load anyway" }).click();
        await page.locator(".loaded-now .note-box", { hasText: "nothing but zeros" }).waitFor();
        await loaded(page);
        ok((await detail(page, "Tokenizer")).includes("ids may be wrong"), await detail(page, "Tokenizer"));
        const kept = await page.evaluate(() =>
          globalThis.responses.findLast((result) => "processor" in result),
        );
        const { pre_tokenizer, rule, loaded_anyway } = kept.model.tokenizer;
        equal([pre_tokenizer, rule, loaded_anyway].join(), "qwen99,default,true", "the record");
        const zeros = kept.model.zero_matrices;
        equal(zeros.join(), "blk.2.ffn_down.weight", "matrices of zeros");
        const note = await page.locator(".load .note-box").innerText();
        ok(note.includes("nothing but zeros") && note.includes(zeros[0]), `what is told of them: ${note}`);
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
