import { describe, expect, it } from "vitest";
import { decisionsOf, isWithinReach } from "../../src/page/lesson/decisions";
import {
  inPairs,
  inSequence,
  inSlices,
  joined,
  keyOf,
  leaves,
  leavesOf,
  moved,
  split,
  sumsByKey,
} from "../../src/page/lesson/forest";
import {
  changedBits,
  hexadecimal,
  leaf,
  number,
  powerOfTwo,
  stepsBetween,
} from "../../src/page/lesson/numbers";
import { optionOf } from "../../src/page/lesson/step-eight-numbers";
import { stepFrom } from "../../src/page/lesson/step-number";
import { comparison, FORK, run, step } from "./samples";

describe("a row of numbers and sums", () => {
  it("is put into another order", () => {
    expect(moved(leaves(4), 0, 2)).toEqual([1, 2, 0, 3]);
    expect(moved(leaves(4), 3, 0)).toEqual([3, 0, 1, 2]);
    for (const to of [-1, 4]) expect(moved(leaves(4), 1, to)).toEqual([0, 1, 2, 3]);
  });

  it("is added, neighbour by neighbour, and taken apart again", () => {
    const sum = joined(joined(leaves(4), 1), 0);
    expect(sum).toEqual([[0, [1, 2]], 3]);
    expect(split(sum, 0)).toEqual([0, [1, 2], 3]);
    expect(joined(leaves(2), 1)).toEqual([0, 1]);
    expect(split(leaves(2), 1)).toEqual([0, 1]);
  });

  it("has the trees that engines use", () => {
    expect(inSequence(leaves(4))).toEqual([[[0, 1], 2], 3]);
    expect(inPairs(leaves(5))).toEqual([
      [[0, 1], 2],
      [3, 4],
    ]);
    expect(inSlices(leaves(6), 3)).toEqual([
      [
        [0, 1],
        [2, 3],
      ],
      [4, 5],
    ]);
    for (const tree of [inPairs(leaves(18)), inSlices(leaves(18), 6)]) {
      expect(leavesOf(tree)).toEqual([...leaves(18)]);
    }
  });

  it("finds each sum among those that the engine tells, left before right before their sum", () => {
    const partial = [3, 12, 15];
    const sums = sumsByKey(inPairs(leaves(4)), {
      kind: "trees",
      computed: { on: "cpu-twin" },
      trees: [{ total: 15, bits: 0, partial }],
      exact: 15,
    });
    expect([...sums.values()]).toEqual(partial);
    expect(sums.get(keyOf([2, 3]))).toBe(12);
  });
});

describe("numbers", () => {
  it("are printed with all their digits", () => {
    expect(number(16_777_218, "en")).toBe("16,777,218");
    expect(number(-6.25, "en")).toBe("\u22126.25");
    expect(number(0.0009765625, "en")).toBe("0.0009765625");
    expect(number(2 ** -24, "en")).toBe("5.960464e\u22128");
    expect(leaf(-1024, "en")).toBe("\u22121024");
    expect(leaf(0.25, "ko")).toBe("¼");
  });

  it("tell powers of two as people do", () => {
    expect([-10, 0, 1, -149].map((exponent) => powerOfTwo(exponent, "en"))).toEqual([
      "1/1024",
      "1",
      "2",
      "2^\u2212149",
    ]);
  });

  it("differ in bits and in steps", () => {
    expect(changedBits(0b1010, 0b1001, 4)).toEqual([false, false, true, true]);
    expect(stepsBetween(0xbf800001 | 0, 0xbf800000)).toBe(1);
    expect(hexadecimal(0x3f800000, 32)).toBe("3F800000");
  });
});

describe("decisions", () => {
  const logits = (first: number, second: number) => ({
    ...step(1, first - second),
    top: [
      { id: 1, text: " a", logit: first },
      { id: 2, text: " b", logit: second },
    ],
  });

  it("have the margin of the cold run and the largest change of a logit, up to the fork", () => {
    const cold = [logits(10, 8), logits(10, 9.75), logits(10, 9)];
    const warm = [logits(10.5, 8), logits(9.5, 9.5), logits(0, 1)];
    const forked = comparison({
      fork: { ...FORK, index: 1 },
      runs: [run("cold-a", cold), run("warm", warm)],
    });
    expect(decisionsOf(forked).map(({ margin, drift, forked }) => [margin, drift, forked])).toEqual([
      [2, 0.5, false],
      [0.25, 0.5, true],
    ]);
  });

  it("can flip where the margin is at most twice the drift", () => {
    expect([0.19, 0.2, 0.21].map((margin) => isWithinReach(margin, 0.1))).toEqual([true, true, false]);
    expect(isWithinReach(0, 0)).toBe(false);
  });
});

describe("the lesson", () => {
  it("opens the step that the address names, else the first", () => {
    for (const [search, expected] of [
      ["step=6&lock=1", 6],
      ["step=7", 1],
      ["step=1.5", 1],
      ["", 1],
    ] as const) {
      expect(stepFrom(new URLSearchParams(search))).toBe(expected);
    }
  });

  it("reads a number of results as one of the answers", () => {
    expect([1, 2, 5, 6, 14, 20, 21].map(optionOf)).toEqual([
      "one",
      "few",
      "few",
      "some",
      "some",
      "some",
      "many",
    ]);
  });
});
