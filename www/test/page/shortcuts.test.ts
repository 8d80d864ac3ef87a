import { expect, test } from "vitest";
import { shortcutOf, startsRun } from "../../src/page/shortcuts";

const press = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  ...more,
});

test.each([
  ["?", "help"],
  ["r", "run"],
  ["Escape", "stop"],
  ["f", "fork"],
  ["w", "why"],
])("%s means %s", (key, shortcut) => {
  expect(shortcutOf(press(key), false)).toBe(shortcut);
});

test("keys in a field, with modifiers, held down or unknown mean nothing", () => {
  expect(shortcutOf(press("r"), true)).toBeNull();
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { repeat: true }]) {
    expect(shortcutOf(press("r", more), false)).toBeNull();
  }
  for (const key of ["R", "x", "constructor", "__proto__"]) expect(shortcutOf(press(key), false)).toBeNull();
});

test("Enter in a field starts a run where it writes no line, and else with Ctrl or ⌘", () => {
  const enter = (more: object = {}) => ({ ...press("Enter", more), isComposing: false });
  expect(startsRun(enter(), "line")).toBe(true);
  expect(startsRun(enter(), "lines")).toBe(false);
  for (const more of [{ ctrlKey: true }, { metaKey: true }])
    expect(startsRun(enter(more), "lines")).toBe(true);
  for (const field of ["line", "lines"] as const) {
    expect(startsRun(enter({ ctrlKey: true, repeat: true }), field)).toBe(false);
    // It ends the writing of a syllable.
    expect(startsRun({ ...enter({ ctrlKey: true }), isComposing: true }, field)).toBe(false);
    expect(startsRun({ ...enter({ ctrlKey: true }), key: "r" }, field)).toBe(false);
  }
  expect(startsRun(enter({ ctrlKey: true }), null)).toBe(false);
});
