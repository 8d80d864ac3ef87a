import { expect, test } from "vitest";
import { shortcutOf } from "../../src/page/shortcuts";

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
