// What a device, a driver or a person does in the middle: memory that is full, a kernel that is refused, long prompts, a page that
// is frozen, a model that is deleted while it runs.
import {
  countedSubmissions,
  engineWorker,
  holdReadbacks,
  refuseMemory,
  refuseShader,
} from "./engine-worker.mjs";
import { equal, ok, open, shot } from "./harness.mjs";
import { LOAD, loadPicked, pickAndSee, served, tinyComparison, typeAddress } from "./own-steps.mjs";
import { choose, compare, loaded, openPicker, settled, stage, startRun, toView } from "./steps.mjs";
import { tinyFile } from "./tiny-model.mjs";

const hashes = ({ runs }) =>
  runs.map(({ steps }) => steps.map(({ logits_hash }) => logits_hash).join()).join("\n");

/** A load that fails with this code, naming `what`; then the engine is a new one, and the way out leads to a model that runs. */
async function failsAndGoesOn(page, code, what) {
  const before = engineWorker(page);
  await page.getByRole("button", LOAD).click();
  const shown = page.locator(".load-failure .failure");
  await shown.waitFor();
  const words = await shown.innerText();
  equal(await shown.getAttribute("data-code"), code, "code");
  ok(what.test(words), `${what} is not in:\n${words}`);
  await shot(page, `injected-${code}`, { fullPage: true });
  // All that the try had built went with its worker.
  ok(!page.workers().includes(before), "the worker of the try is gone");
  await shown.getByRole("button", { name: /^(Start the GPU|Load again)/ }).click();
  await loaded(page);
  await tinyComparison(page);
}

export function injectedChecks(gpu, server) {
  const outOfMemoryAt = (label) => async () => {
    const { page, close } = await open(gpu, server.url);
    await stage(page, "GPU", "done");
    await pickAndSee(page, [tinyFile()]);
    await refuseMemory(page, label);
    await failsAndGoesOn(page, "out-of-memory", label);
    await close();
  };
  return {
    "B150: out of memory at a weight: named, all of the try is freed, and the next load works":
      outOfMemoryAt(/blk\.1\.ffn_down/),
    "B150: out of memory at keys and values: named, all of the try is freed, and the next load works":
      outOfMemoryAt(/of layer 1/),
    "B150: out of memory at scratch: named, all of the try is freed, and the next load works":
      outOfMemoryAt(/logits/),

    "B154: a kernel that the driver refuses is named, nothing half-built stays, and the next load works":
      async () => {
        const { page, close } = await open(gpu, server.url);
        await stage(page, "GPU", "done");
        await pickAndSee(page, [tinyFile()]);
        await refuseShader(page, "embed");
        await failsAndGoesOn(page, "shader-failed", /kernel embed was refused/i);
        await close();
      },

    "B156: a prompt goes to the GPU in pieces of 32 tokens: a longer one makes more submissions":
      async () => {
        const { page, close } = await open(gpu, server.url);
        await stage(page, "GPU", "done");
        const submitted = await countedSubmissions(page);
        await pickAndSee(page, [tinyFile()]);
        await loadPicked(page);
        const counts = [];
        for (const n_sentences of [4, 16, 64]) {
          await submitted();
          const prompt = "One two three four. ".repeat(n_sentences);
          const { report } = await compare(page, { prompt, order: "Invariant", formats: "int8", tokens: 2 });
          counts.push({ ...(await submitted()), tokens: report.prompt.length });
        }
        console.log(
          `      ${counts.map(({ tokens, n_submissions, most }) => `${tokens} tokens: ${n_submissions} submissions of at most ${most} workgroups`).join("; ")}`,
        );
        for (const { tokens, n_submissions } of counts) {
          const pieces = Math.ceil(tokens / 32);
          ok(n_submissions >= 2 * pieces, `${n_submissions} submissions for two times ${pieces} pieces`);
        }
        // What grows is how far back attention reaches, and nothing faster than the prompt.
        const [short, , long] = counts;
        ok(long.most / short.most < long.tokens / short.tokens, "the most workgroups in a submission");
        await close();
      },

    "B159: a model deleted, and another dropped, while one generates: the run ends as it would have":
      async () => {
        const file = tinyFile("running.gguf");
        await served([file], {}, async (site) => {
          const { page, errors, close } = await open(gpu, site.url);
          await stage(page, "GPU", "done");
          await typeAddress(page, "models/running.gguf");
          await page.locator(".fit").waitFor();
          await loadPicked(page);
          const choices = {
            prompt: "One two three four five six.",
            order: "Invariant",
            formats: "int8",
            tokens: 100,
          };
          const { report: before } = await compare(page, choices);

          const release = await holdReadbacks(page);
          await startRun(page);
          await openPicker(page);
          const card = page.locator(".model-list > li");
          ok(
            await card.getByRole("button", { name: "Load from this browser" }).isDisabled(),
            "no other load now",
          );
          ok(await page.locator('.picker input[type="file"]').isDisabled(), "no other file now");
          const keptNote = page.locator(".loaded-now .note");
          await keptNote.waitFor();
          await card.getByRole("button", { name: /^Delete/ }).click();
          await card.waitFor({ state: "detached" });
          equal(await keptNote.count(), 0, "notes that call it kept");
          await release();
          await toView(page, "run");
          const after = await settled(page);
          equal(hashes(after), hashes(before), "every bit of the run");

          // The next one is loaded all the same.
          await pickAndSee(page, [tinyFile("next.gguf", 4)]);
          await loadPicked(page);
          ok(hashes(await tinyComparison(page)) !== "", "the next model runs");
          equal(errors.join("\n"), "", "console errors");
          await close();
        });
      },

    "B164: a page that is frozen in the middle of a run goes on with the same bits": async () => {
      const { page, errors, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      await pickAndSee(page, [tinyFile()]);
      await loadPicked(page);
      const choices = {
        prompt: "One two three four five six.",
        order: "Invariant",
        formats: "int8",
        tokens: 100,
      };
      const { report: before } = await compare(page, choices);
      await choose(page, choices);
      const debug = await page.context().newCDPSession(page);
      await startRun(page);
      await debug.send("Page.setWebLifecycleState", { state: "frozen" });
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await debug.send("Page.setWebLifecycleState", { state: "active" });
      equal(hashes(await settled(page)), hashes(before), "every bit of the run");
      equal(errors.join("\n"), "", "console errors");
      await close();
    },
  };
}
