import { describe, expect, test } from "vitest";
import { downloadLine } from "../../src/page/download-line";
import {
  binarySize,
  bytes,
  margin,
  megabytes,
  quotedToken,
  signed,
  visibleToken,
} from "../../src/page/format";
import { format, plural } from "../../src/page/messages/english/format";

describe("token numbers", () => {
  test.each([
    [[3], "token 4"],
    [[0, 1, 2], "tokens 1–3"],
    [[0, 1, 2, 6], "tokens 1–3 and 7"],
    [[0, 2, 4, 5], "tokens 1, 3 and 5–6"],
    [[1, 3, 5, 7, 9], "5 tokens, the first of them token 2"],
  ])("%o is %s", (indices, words) => expect(format.tokenNumbers(indices)).toBe(words));
});

describe("sizes and times", () => {
  test.each([
    [0, "0.0 MB"],
    [98_362_432, "98.4 MB"],
  ])("%i bytes are %s", (bytes, text) => expect(megabytes(bytes)).toBe(text));

  test.each([
    [300, "0.3 kB"],
    [2_100_000, "2.1 MB"],
    [1_500_000_000, "1.50 GB"],
  ])("%i bytes in the unit that suits them are %s", (size, text) => expect(bytes(size)).toBe(text));

  test("parameters are counted as people do", () => {
    expect([134_515_008, 1_543_714_304, 412_000].map(format.parameters)).toEqual([
      "134.5 million",
      "1.54 billion",
      "412 thousand",
    ]);
  });

  test.each([
    [256, "256 B"],
    [16_384, "16 KiB"],
    [134_217_728, "128 MiB"],
    [1_610_612_736, "1.5 GiB"],
  ])("a limit of %i is %s", (bytes, text) => expect(binarySize(bytes)).toBe(text));

  test.each([
    [0.2, "0 ms"],
    [840, "840 ms"],
    [999.6, "1.0 s"],
    [2345, "2.3 s"],
    [59_960, "1 min 0 s"],
    [65_000, "1 min 5 s"],
  ])("%d ms are %s", (ms, text) => expect(format.duration(ms)).toBe(text));

  test("counts agree with their noun", () => {
    expect([plural(1, "token"), plural(0, "token"), plural(1200, "token")]).toEqual([
      "1 token",
      "0 tokens",
      "1,200 tokens",
    ]);
  });
});

describe("download line", () => {
  test("has no rate in the first moment", () =>
    expect(downloadLine(1e6, 98.4e6, 100)).toBe("1.0 of 98.4 MB"));
  test("gives rate and time left", () =>
    expect(downloadLine(20e6, 100e6, 2000)).toBe("20.0 of 100.0 MB · 10.0 MB/s · 8 s left"));
  test("does not count what an earlier try brought", () =>
    expect(downloadLine(60e6, 100e6, 1000, 50e6)).toBe("60.0 of 100.0 MB · 10.0 MB/s · 4 s left"));
  test("ends without a time", () =>
    expect(downloadLine(100e6, 100e6, 1000)).toBe("100.0 of 100.0 MB · 100.0 MB/s · almost done"));
  test("says nothing of a rate that is not there", () =>
    expect(downloadLine(5e6, 100e6, 1000, 5e6)).toBe("5.0 of 100.0 MB"));
  test("of an unknown length has no end", () => {
    expect(downloadLine(5e6, null, 100)).toBe("5.0 MB");
    expect(downloadLine(20e6, null, 2000)).toBe("20.0 MB · 10.0 MB/s");
  });
});

describe("margins", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [0.00390625, "+0.00391"],
    [-0.001953125, "\u22120.00195"],
    [0.038, "+0.0380"],
    [2, "+2.00"],
    [-1234.5, "\u22121230"],
    [-12.3456, "\u221212.3"],
    [1.9073486e-6, "+1.91e\u22126"],
  ])("%d is %s with its sign", (value, text) => expect(signed(value)).toBe(text));

  test("an exact tie is 0", () => expect(margin(0)).toBe("0"));
  test.each([0.0390625, 0.038, 2, 12.3456, 999.9, 1234.5, 1.9073486e-6, 0.5])(
    "the margin of %d has the digits that it has with its sign",
    (value) => expect(`+${margin(value)}`).toBe(signed(value)),
  );
  test("a margin has three digits", () =>
    expect([0.0390625, 0.038, 0.5, 999.9].map(margin)).toEqual(["0.0391", "0.0380", "0.500", "1000"]));
});

describe("tokens", () => {
  test.each([
    [" the", "·the"],
    ["\n\n", "↵↵"],
    ["  ", "··"],
    ["a b", "a b"],
    ["", "∅"],
  ])("%j is shown as %s", (text, shown) => expect(visibleToken(text)).toBe(shown));

  test.each([
    [" the", "“the”"],
    [" ", "“·”"],
    ["\n", "“↵”"],
  ])("%j in a sentence is %s", (text, shown) => expect(quotedToken(text)).toBe(shown));
});
