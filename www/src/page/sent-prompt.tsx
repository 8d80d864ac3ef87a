// The exact tokens that the model was given, one a line: what the chat template added is seen here.
import type { PromptToken } from "../shared/engine-records";
import { messages } from "./language";

export function SentPrompt({ prompt }: { prompt: readonly PromptToken[] }) {
  if (prompt.length === 0) return null;
  return (
    <details class="more sent">
      <summary>{messages.value.result.sent(prompt.length)}</summary>
      <pre>{sentText(prompt)}</pre>
    </details>
  );
}

/** Id and text of each token; everything invisible is escaped, and control tokens are named as such. */
export function sentText(prompt: readonly PromptToken[]): string {
  const width = Math.max(...prompt.map(({ id }) => String(id).length));
  const line = ({ id, text, control }: PromptToken) =>
    `${String(id).padStart(width)}  ${escaped(text)}${control ? `  ${messages.value.result.control}` : ""}`;
  return prompt.map(line).join("\n");
}

/** A text in quotes, in which no character can hide: line ends, marks without width, and those that turn directions. */
function escaped(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu,
    (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
  );
}
