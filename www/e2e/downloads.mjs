// The built-in model's download: wrong bytes, a bad block, a cut, a cancel; each with a way back.
import { copyFile, mkdtemp, open as openFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { equal, folders, ok, open, serve } from "./harness.mjs";
import { stage, startLoad, takeTheWayOut } from "./steps.mjs";
import { failureTells } from "./tells.mjs";

const MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf";

async function badModelFolder() {
  const folder = await mkdtemp(join(tmpdir(), "lastbit-"));
  await copyFile(join(folders.models, MODEL), join(folder, MODEL));
  const file = await openFile(join(folder, MODEL), "r+");
  const { size } = await file.stat();
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, size - 1000);
  byte[0] ^= 1;
  await file.write(byte, 0, 1, size - 1000);
  await file.close();
  return folder;
}

export function downloadChecks({ gpu, server }) {
  return {
    "B131: wrong bytes: the hash is refused with a way back": async () => {
      const models = await badModelFolder();
      const bad = await serve({ models });
      const { page } = await open(gpu, bad.url);
      await startLoad(page);
      const refused = await failureTells(page, "hash-mismatch", "bad-hash");
      await copyFile(join(folders.models, MODEL), join(models, MODEL));
      await takeTheWayOut(refused);
      await stage(page, "Ready", "done");
      await page.context().close();
      bad.close();
      await rm(models, { recursive: true });
    },

    "B067: bad block: what arrived is dropped, and the next try starts anew": async () => {
      let isBad = true;
      const spoiling = await serve({
        wrap: (request, response) => {
          if (!isBad || !request.url.startsWith("/models/")) return false;
          isBad = false;
          const write = response.write.bind(response);
          let sent = 0;
          response.write = (chunk, ...rest) => {
            const [from, to] = [60_000_000, 60_400_000].map((byte) => Math.max(byte - sent, 0));
            sent += chunk.length;
            return write(
              from < chunk.length ? Buffer.from(chunk).fill(0xff, from, Math.min(to, chunk.length)) : chunk,
              ...rest,
            );
          };
          return false;
        },
      });
      const { page } = await open(gpu, spoiling.url);
      await startLoad(page);
      const refused = await failureTells(page, "bad-file", "bad-block");
      equal(await refused.getByRole("button").innerText(), "Download it again", "the way out");
      await takeTheWayOut(refused);
      await stage(page, "Ready", "done");
      const [, second] = spoiling.requests.filter(({ url }) => url.startsWith("/models/"));
      equal(second.range, "bytes=0-", "range of the second request");
      await page.context().close();
      spoiling.close();
    },

    "B125: cut download: it goes on from the byte where it stopped": async () => {
      let isCut = false;
      const cutting = await serve({
        wrap: (request, response) => {
          if (isCut || !request.url.startsWith("/models/")) return false;
          isCut = true;
          const write = response.write.bind(response);
          let sent = 0;
          response.write = (chunk, ...rest) => {
            sent += chunk.length;
            if (sent > 30_000_000) response.destroy();
            return write(chunk, ...rest);
          };
          return false;
        },
      });
      const { page } = await open(gpu, cutting.url);
      await startLoad(page);
      const cut = await failureTells(page, "download-cut", "cut-download");
      equal(await cut.getByRole("button").innerText(), "Continue the download", "the way out");
      await takeTheWayOut(cut);
      await stage(page, "Ready", "done");
      const [, second] = cutting.requests.filter(({ url }) => url.startsWith("/models/"));
      ok(/^bytes=[1-9]\d*-$/.test(second.range ?? ""), `second request asks for the rest: ${second.range}`);
      await page.context().close();
      cutting.close();
    },

    "B133: cancelled download: stops, and goes on": async () => {
      const { page } = await open(gpu, server.url);
      await startLoad(page);
      await page.getByRole("button", { name: "Cancel" }).click();
      const cancelled = await failureTells(page, "download-cancelled", "cancelled-download");
      await takeTheWayOut(cancelled);
      await stage(page, "Ready", "done");
      await page.context().close();
    },
  };
}
