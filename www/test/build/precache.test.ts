import { expect, test } from "vitest";
import { isKept, precacheOf } from "../../build/precache";

const INDEX =
  '<script src="./assets/index-A.js"></script><link href="./icon.svg"><a href="recorded/by-shape.json">';
const BUILT = [
  "assets/engine-worker-B.js",
  "assets/index-A.js",
  "assets/index-A.js.map",
  "assets/korean-C.js",
  "assets/lastbit_bg-D.wasm",
  "assets/models-view-E.js",
  "icon.svg",
  "index.html",
  "recorded/by-shape.json",
  "service-worker.js",
];

test("what the first view asks for is kept at once, scripts of the others then, engines last, and no file is left out", () => {
  const kept = BUILT.filter(isKept);
  const { reading, views, rest } = precacheOf(kept, INDEX, "v");
  expect(reading).toEqual([
    "assets/index-A.js",
    "assets/korean-C.js",
    "icon.svg",
    "./",
    "recorded/by-shape.json",
  ]);
  expect(views).toEqual(["assets/engine-worker-B.js", "assets/models-view-E.js"]);
  expect(rest).toEqual(["assets/lastbit_bg-D.wasm"]);
  expect(reading.length + views.length + rest.length).toBe(BUILT.length - 2);
});
