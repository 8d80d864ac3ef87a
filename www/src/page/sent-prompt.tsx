// The exact tokens that the model was given, one a line: what the chat template added is seen here.
import type { PromptToken } from "../shared/engine-records";
import { messages } from "./language";

interface SentPromptProps {
  prompt: readonly PromptToken[];
  /** The chat template that put it in order, by whose it is; undefined where none did, null where it is not known. */
  templateKnownAs: string | null | undefined;
}

export function SentPrompt({ prompt, templateKnownAs }: SentPromptProps) {
  if (prompt.length === 0) return null;
  const { result } = messages.value;
  return (
    <>
      {templateKnownAs === null && <p class="template-badge">{result.templateUnknown}</p>}
      <details class="more sent">
        <summary>{result.sent(prompt.length)}</summary>
        {templateKnownAs && <p>{result.templateKnown(templateKnownAs)}</p>}
        <pre>{sentText(prompt)}</pre>
      </details>
    </>
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
