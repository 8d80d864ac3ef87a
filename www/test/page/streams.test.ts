import { describe, expect, test } from "vitest";
import { agreesAgain, splitOf } from "../../src/page/streams";

const ids = (...values: number[]) => values.map((id) => ({ id }));

describe("where two streams part", () => {
  test.each([
    ["both empty", ids(), ids(), { n_shared: 0, fork: null }],
    ["one has not started", ids(1, 2), ids(), { n_shared: 0, fork: null }],
    ["one is behind", ids(1, 2, 3), ids(1, 2), { n_shared: 2, fork: null }],
    ["equal", ids(1, 2), ids(1, 2), { n_shared: 2, fork: null }],
    ["different at once", ids(1), ids(2), { n_shared: 0, fork: 0 }],
    ["different in the middle", ids(1, 2, 3), ids(1, 9, 3), { n_shared: 1, fork: 1 }],
    ["different at the end", ids(1, 2, 3), ids(1, 2, 9), { n_shared: 2, fork: 2 }],
  ])("%s", (_, left, right, split) => {
    expect(splitOf(left, right)).toEqual(split);
    expect(splitOf(right, left)).toEqual(split);
  });
});

test("tokens that agree again are told apart from the shared ones", () => {
  const left = ids(1, 2, 3, 4);
  const right = ids(1, 9, 3, 5, 6);
  expect([0, 1, 2, 3, 4].map((index) => agreesAgain(left, right, 1, index))).toEqual([
    false,
    false,
    true,
    false,
    false,
  ]);
});
