// The page's build. The engine is a name, so that a test can put another one behind it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { defineConfig } from "vitest/config";
import { CONTENT_SECURITY_POLICY } from "./server.mjs";

type RecordedForkModule = typeof import("./build/recorded-fork");

/** Puts the recorded comparisons, as they are served beside the page, into its fixed text. */
const recordedFork = {
  name: "recorded-fork",
  async transformIndexHtml(html: string): Promise<string> {
    const file = fileURLToPath(new URL("build/recorded-fork.ts", import.meta.url));
    const { module } = await runnerImport<RecordedForkModule>(file);
    const recorded = (path: string) =>
      JSON.parse(readFileSync(new URL(`public/${path}`, import.meta.url), "utf8"));
    const { byShape, invariant } = module.RECORD_PATHS;
    const fork = module.recordedForkHtml(recorded(byShape), recorded(invariant));
    return html.replace("<!-- recorded fork -->", () => fork);
  },
};

/** The page's policy in its own text as well, for hosts that send no headers of ours; who may frame it is told by headers alone. */
const policy = {
  name: "policy",
  apply: "build" as const,
  transformIndexHtml() {
    const content = CONTENT_SECURITY_POLICY.split("; ").filter((rule) => !rule.startsWith("frame-ancestors"));
    const attrs = { "http-equiv": "Content-Security-Policy", content: content.join("; ") };
    return [{ tag: "meta", attrs, injectTo: "head-prepend" as const }];
  },
};

type PrecacheModule = typeof import("./build/precache");

/** Tells the service worker which files there are, once they are. */
const precache = {
  name: "precache",
  apply: "build" as const,
  async writeBundle({ dir = "" }: { dir?: string | undefined }): Promise<void> {
    const source = fileURLToPath(new URL("build/precache.ts", import.meta.url));
    const { module } = await runnerImport<PrecacheModule>(source);
    const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const names = files.map(({ parentPath, name }) =>
      relative(dir, join(parentPath, name)).replaceAll(sep, "/"),
    );
    const kept = names.filter(module.isKept).sort();
    const hash = createHash("sha256");
    for (const name of kept) hash.update(`${name}\n`).update(readFileSync(join(dir, name)));
    const indexHtml = readFileSync(join(dir, "index.html"), "utf8");
    const list = module.precacheOf(kept, indexHtml, hash.digest("hex").slice(0, 16));
    const worker = join(dir, module.SERVICE_WORKER);
    const script = readFileSync(worker, "utf8");
    if (!script.includes(module.PLACE)) throw new Error(`${worker} has no place for its list`);
    writeFileSync(
      worker,
      script.replace(module.PLACE, () => JSON.stringify(list)),
    );
  },
};

const engine = process.env.LASTBIT_ENGINE ?? "src/engine/lastbit.js";

export default defineConfig({
  base: "./",
  plugins: [recordedFork, policy, precache],
  resolve: {
    alias: {
      "lastbit-engine": fileURLToPath(new URL(engine, import.meta.url)),
      "lastbit-template": fileURLToPath(new URL("src/template-engine/lastbit_template.js", import.meta.url)),
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    target: "es2023",
    outDir: process.env.LASTBIT_DIST ?? "dist",
    emptyOutDir: true,
    sourcemap: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: fileURLToPath(new URL("index.html", import.meta.url)),
        "service-worker": fileURLToPath(new URL("src/service-worker/service-worker.ts", import.meta.url)),
      },
      output: {
        // Its address is the same in every version, and decides which pages it serves.
        entryFileNames: ({ name }) =>
          name === "service-worker" ? "service-worker.js" : "assets/[name]-[hash].js",
      },
    },
  },
  test: {
    include: ["test/**/*.test.{ts,mjs}"],
    // Only a test that hangs is too slow: a busy machine is no failure.
    testTimeout: 60_000,
    reporters: ["default", "./test/closing-line.ts"],
  },
});
