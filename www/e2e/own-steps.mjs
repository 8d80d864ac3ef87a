// What a visitor does with a model of their own, step by step, and the servers that it comes from.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { equal, ok, serve } from "./harness.mjs";
import { compare, loaded, openPicker, toView } from "./steps.mjs";

export const LOAD = { name: /^Load · / };
export const sha256 = (buffer) => createHash("sha256").update(buffer).digest("hex");

export async function pick(page, files) {
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
export async function refusal(page, code, words) {
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
export async function detail(page, name) {
  await toView(page, "run");
  const details = page.locator(".load > details", { hasText: "self-test" });
  if (!(await details.evaluate((element) => element.open))) await details.locator("summary").click();
  return page
    .locator(".load .facts dt", { hasText: new RegExp(`^${name}$`) })
    .locator("+ dd")
    .innerText();
}

/** A comparison on whatever is loaded, small enough for a moment. */
export async function tinyComparison(page) {
  const choices = { prompt: "One two three four five six.", order: "Invariant", formats: "int8", tokens: 4 };
  const { report } = await compare(page, choices);
  equal(report.verdict, "bit-identical", "verdict");
  equal(report.control.same_bits, true, "control");
  ok(report.exposure > 0, "the warm run reused something");
  return report;
}

/** Drops files in the middle of the page, as a browser does. */
export async function drop(page, files) {
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

export async function typeAddress(page, address) {
  await openPicker(page);
  await page.getByLabel("Address of a GGUF file").fill(address);
  await page.getByRole("button", { name: "Check the address" }).click();
}

/** Clicks Cancel beside a load's progress; says how long it took the page to be idle. */
export async function cancelLoad(page) {
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

/** A folder of models that is served; gone after `use`. */
export async function served(files, options, use) {
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
export async function elsewhere(file) {
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
