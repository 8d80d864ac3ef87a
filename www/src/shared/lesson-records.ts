// The lesson's questions and answers: src/lesson of the engine gives exactly these objects. Types only.

/** In which format sums are added, each rounded to nearest, ties to even. */
export type SumFormat = "f16" | "bf16" | "f32";

/** A number by its place, or the sum of two trees: [[0, 1], 2] adds the first two numbers, then the third. */
export type Tree = number | readonly [Tree, Tree];

export type LessonRequest =
  /** The sums of the values along each of these trees, each of which has every value once. */
  | {
      kind: "trees";
      format: SumFormat;
      values: readonly number[];
      trees: readonly (Tree | "sequential" | "pairwise")[];
    }
  /** The sums of up to 8 values one after another, in every order there is. */
  | { kind: "orders"; format: SumFormat; values: readonly number[] }
  /** What a number is, how far it is to the next, and what becomes of it when something is added. */
  | { kind: "number"; format: SumFormat; bits: number; plus: number };

/** What computed the sums. */
export type Computed =
  /** The device; the twin computed the same beside it, and so many bits were not the same. */
  { on: "gpu"; n_sums: number; n_differing: number } | { on: "cpu-twin" };

export interface TreeResult {
  total: number;
  /** In the format. */
  bits: number;
  /** The sum after each addition, left before right before their sum. */
  partial: readonly number[];
}

export interface OrderResult {
  value: number;
  /** Orders that give it. */
  n_orders: number;
}

export interface TreesAnswer {
  kind: "trees";
  computed: Computed;
  trees: readonly TreeResult[];
  /** The sum without any rounding; null where f64 cannot hold it. */
  exact: number | null;
}

export interface OrdersAnswer {
  kind: "orders";
  computed: Computed;
  n_orders: number;
  /** Smallest first. */
  results: readonly OrderResult[];
  exact: number | null;
}

export interface NumberAnswer {
  kind: "number";
  computed: Computed;
  class: "zero" | "subnormal" | "normal" | "infinite" | "not-a-number";
  /** Null where it is not finite. */
  value: number | null;
  /** The next number away from zero; null behind the largest. */
  next: number | null;
  /** The gap to it is 2 to this power. */
  gap_exponent: number | null;
  /** The number and what was added; null at the ends of the format's range. */
  sum: number | null;
}

export type LessonAnswer = TreesAnswer | OrdersAnswer | NumberAnswer;

/** One dot product of the loaded model, as the sums of its blocks of 32 products. */
export interface DotProduct {
  tensor: string;
  token_id: number;
  token_text: string;
  block_sums: readonly number[];
  /** That the kernel for few rows cuts the blocks into. */
  n_slices: number;
}
