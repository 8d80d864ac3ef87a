// A row of trees: numbers and sums that are still to be added, from left to right. Pure.

import type { Tree } from "../../shared/engine-records";
import type { AnswerOf } from "../lesson-session";

export type Forest = readonly Tree[];

export function leaves(n: number): Forest {
  return Array.from({ length: n }, (_, index) => index);
}

export function isLeaf(tree: Tree): tree is number {
  return typeof tree === "number";
}

/** The numbers of a tree, from left to right. */
export function leavesOf(tree: Tree): number[] {
  return isLeaf(tree) ? [tree] : [...leavesOf(tree[0]), ...leavesOf(tree[1])];
}

/** A name that stays with a tree wherever it is moved. */
export function keyOf(tree: Tree): string {
  return isLeaf(tree) ? String(tree) : `(${keyOf(tree[0])} ${keyOf(tree[1])})`;
}

/** One part taken out and put where it then is number `to`; what is no place changes nothing. */
export function moved(forest: Forest, from: number, to: number): Forest {
  const part = forest[from];
  if (part === undefined || to < 0 || to >= forest.length || to === from) return forest;
  const rest = forest.filter((_, index) => index !== from);
  return [...rest.slice(0, to), part, ...rest.slice(to)];
}

/** A part and its right-hand neighbour as one sum. */
export function joined(forest: Forest, at: number): Forest {
  const left = forest[at];
  const right = forest[at + 1];
  if (left === undefined || right === undefined) return forest;
  return [...forest.slice(0, at), [left, right], ...forest.slice(at + 2)];
}

/** A sum as the two parts that it was made of. */
export function split(forest: Forest, at: number): Forest {
  const part = forest[at];
  if (part === undefined || isLeaf(part)) return forest;
  return [...forest.slice(0, at), ...part, ...forest.slice(at + 1)];
}

/** One part after another. */
export function inSequence(forest: Forest): Tree {
  return forest.slice(1).reduce<Tree>((sum, part) => [sum, part], forest[0] ?? 0);
}

/** Halves added alike. */
export function inPairs(forest: Forest): Tree {
  const [only] = forest;
  if (only !== undefined && forest.length === 1) return only;
  const half = Math.ceil(forest.length / 2);
  return [inPairs(forest.slice(0, half)), inPairs(forest.slice(half))];
}

/** Stretches of equal length, each in sequence, then their sums in sequence. */
export function inSlices(forest: Forest, n_slices: number): Tree {
  const length = Math.ceil(forest.length / n_slices);
  const slices = Array.from({ length: n_slices }, (_, index) =>
    forest.slice(index * length, (index + 1) * length),
  );
  return inSequence(slices.filter((slice) => slice.length > 0).map(inSequence));
}

/** What each sum inside a tree came to, by its key: the engine tells them left before right before their sum. */
export function sumsByKey(tree: Tree, { trees }: AnswerOf<{ kind: "trees" }>): Map<string, number> {
  const partial = trees[0]?.partial ?? [];
  const sums = new Map<string, number>();
  const visit = (part: Tree) => {
    if (isLeaf(part)) return;
    visit(part[0]);
    visit(part[1]);
    sums.set(keyOf(part), partial[sums.size] ?? Number.NaN);
  };
  visit(tree);
  return sums;
}
