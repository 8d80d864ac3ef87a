// The tiny model's files, written by the project's own GGUF writer: the wasm engine runs in Node as well.
import { readFile } from "node:fs/promises";
import init, { tinyModel } from "../src/engine/lastbit.js";

await init({ module_or_path: await readFile(new URL("../src/engine/lastbit_bg.wasm", import.meta.url)) });

const MIME = "application/octet-stream";

/** One file, as a person's disk has it; `templates` are names and sources of further chat templates, in turn. */
export function tinyFile(name = "tiny.gguf", seed = 3, templates = []) {
  const [bytes] = tinyModel(seed, 1, templates);
  return { name, mimeType: MIME, buffer: Buffer.from(bytes) };
}

/** The parts of a model, in order. */
export function tinyParts(stem, count, seed = 3) {
  const digits = (number) => String(number).padStart(5, "0");
  return tinyModel(seed, count, []).map((bytes, index) => ({
    name: `${stem}-${digits(index + 1)}-of-${digits(count)}.gguf`,
    mimeType: MIME,
    buffer: Buffer.from(bytes),
  }));
}

/** The same file with the first occurrence of a text replaced by one of the same length. */
export function patched(file, from, to) {
  const buffer = Buffer.from(file.buffer);
  const at = buffer.indexOf(from);
  if (at < 0 || from.length !== to.length) throw new Error(`${from} cannot become ${to} in ${file.name}`);
  buffer.write(to, at, "latin1");
  return { ...file, buffer };
}

export function htmlFile(name) {
  return { name, mimeType: MIME, buffer: Buffer.from("<!doctype html><title>Not found</title>") };
}
