import { expect, test } from "vitest";
import { addressFrom, type View } from "../../src/page/address";
import { type LinkInputs, linkTo as linkOrNull, readLink } from "../../src/page/link";

const INPUTS: LinkInputs = {
  text: "Explain how bread rises, to someone who has never baked.",
  follow_up: "What should I pack for it, and why?",
  scenario: "second-turn",
  sent_as: "chat",
  before: "One line.\nAnother, 한글 and 🥖.",
  formats: "half",
  order: "invariant",
  template: "tool_use",
  max_tokens: 17,
  model_url: "https://models.example/one.gguf",
};

async function linkTo(view: View, inputs: LinkInputs): Promise<string> {
  const hash = await linkOrNull(view, inputs);
  if (hash === null) throw new Error("too long");
  return hash;
}

async function readBack(hash: string) {
  const address = addressFrom(hash);
  return address && readLink(address.parameters);
}

test("a link restores every input, and its view", async () => {
  const hash = await linkTo("why", INPUTS);
  expect(addressFrom(hash)?.view).toBe("why");
  expect(await readBack(hash)).toEqual({ inputs: INPUTS, ignored: [] });
});

test("a prompt of 500 characters gives at most 2,000, in English and in Korean", async () => {
  const english =
    "The quick brown fox jumps over the lazy dog while seven wizards mix vexing potions at dawn. ";
  const korean =
    "키 값 캐시를 다시 쓰면 계산 순서가 달라지고 마지막 비트가 바뀌어 다른 토큰이 나올 수 있습니다. ";
  for (const sentence of [english, korean]) {
    const hash = await linkTo("run", { ...INPUTS, text: sentence.repeat(10).slice(0, 500) });
    expect(hash.length).toBeLessThanOrEqual(2000);
  }
});

test("fields that are unknown or wrong are named and left out, the others hold", async () => {
  const broken = { ...INPUTS, formats: "int2", max_tokens: 10_000, surprise: 1, __proto__: { text: 1 } };
  const read = await readBack(await linkTo("run", broken as unknown as LinkInputs));
  expect(read?.ignored).toEqual(["formats", "max_tokens", "surprise"]);
  expect(read?.inputs).toEqual(
    Object.fromEntries(
      Object.entries(INPUTS).filter(([name]) => name !== "formats" && name !== "max_tokens"),
    ),
  );
});

test.each(["%%%", "AAAA", "", "a".repeat(10_000)])(
  "a broken set-up %# is told and changes nothing",
  async (packed) => {
    const read = await readLink(new URLSearchParams({ setup: packed }));
    expect(read).toEqual({ inputs: {}, ignored: ["setup"] });
  },
);

test("a set-up that unpacks without end is left out", async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...INPUTS, text: "a".repeat(70_000) }));
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const setup = btoa(String.fromCharCode(...new Uint8Array(await new Response(packed).arrayBuffer())));
  expect(await readLink(new URLSearchParams({ setup }))).toEqual({ inputs: {}, ignored: ["setup"] });
});

test("there is no link to what a link would not be read back from", async () => {
  expect(await linkOrNull("run", { ...INPUTS, text: "가".repeat(22_000) })).toBeNull();
  expect(await linkOrNull("run", { ...INPUTS, text: "가".repeat(20_000) })).not.toBeNull();
});

test("an empty set-up has nothing to tell", async () => {
  const hash = await linkTo("run", {} as unknown as LinkInputs);
  expect(await readBack(hash)).toBeNull();
});

test("a step that there is not, and a lock of another kind, are named", async () => {
  expect((await readLink(new URLSearchParams("step=7&lock=yes")))?.ignored).toEqual(["step", "lock"]);
});

test("views are found in any case; what is no view is named, and the first one shown", () => {
  expect(addressFrom("#/WHY?x=1")).toMatchObject({ view: "why", missing_view: null });
  expect(addressFrom("#/foo")).toMatchObject({ view: "run", missing_view: "foo" });
  expect(addressFrom("#/")).toMatchObject({ view: "run", missing_view: null });
  expect(addressFrom("#live")).toBeNull();
});

test("unknown parameters are named, those of a view are not", async () => {
  expect(await readLink(new URLSearchParams("step=3&lock=1"))).toBeNull();
  expect(await readLink(new URLSearchParams("step=3&model=x"))).toEqual({ inputs: {}, ignored: ["model"] });
});
