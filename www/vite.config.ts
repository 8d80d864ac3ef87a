// The page's build. The engine is a name, so that a test can put another one behind it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { defineConfig } from "vitest/config";

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

const engine = process.env.LASTBIT_ENGINE ?? "src/engine/lastbit.js";

export default defineConfig({
  base: "./",
  plugins: [recordedFork],
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
  },
  test: {
    include: ["test/**/*.test.{ts,mjs}"],
    reporters: ["default", "./test/closing-line.ts"],
  },
});
