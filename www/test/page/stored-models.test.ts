import { expect, test } from "vitest";
import { bytesOf, together } from "../../src/page/models/stored-models";
import type { StoredModel } from "../../src/shared/model-records";

const file = (id: string, part: { of: string; number: number; count: number } | null): StoredModel => ({
  kind: "verified",
  id,
  record: {
    id,
    name: id,
    url: id,
    part,
    state: "verified",
    len_bytes: 10,
    sha256: "",
    etag: null,
    stored_at: "",
  },
});
const part = (id: string, of: string, number: number) => file(id, { of, number, count: 3 });

test("files of one model stand together, in order, where the first of them stood", () => {
  const unknown: StoredModel = { kind: "needs-check", id: "x", len_bytes: 5 };
  const models = [part("a3", "a", 3), file("whole", null), part("b1", "b", 1), part("a1", "a", 1), unknown];
  const ids = together(models).map((one) => ("parts" in one ? one.parts.map(({ id }) => id) : one.id));
  expect(ids).toEqual([["a1", "a3"], "whole", ["b1"], "x"]);
  expect(bytesOf(models)).toBe(45);
});
