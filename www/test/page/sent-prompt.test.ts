import { expect, test } from "vitest";
import { sentText } from "../../src/page/sent-prompt";

test("ids, texts and control tokens, with nothing hidden", () => {
  const prompt = [
    { id: 1, text: "<|im_start|>", control: true },
    { id: 4093, text: 'user\n"', control: false },
    { id: 20, text: " a\u202e\u200b\u{e0041}", control: false },
  ];
  expect(sentText(prompt)).toBe(
    ['   1  "<|im_start|>"  control', '4093  "user\\n\\""', '  20  " a\\u{202e}\\u{200b}\\u{e0041}"'].join(
      "\n",
    ),
  );
});
