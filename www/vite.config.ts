// The page's build. The engine is a name, so that a test can put another one behind it.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const engine = process.env.LASTBIT_ENGINE ?? "src/engine/lastbit.js";

export default defineConfig({
  base: "./",
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
