// What a source, and what was selected, is called.
import { fileNameIn } from "../shared/model-url";
import type { ModelSource } from "../shared/protocol";
import { megabytes, shortened } from "./format";
import { messages } from "./language";
import type { Selection } from "./session-state";

/** The file's name, or those of all parts. */
export function fileWords(source: ModelSource): string {
  switch (source.kind) {
    case "built-in":
      return source.file_name;
    case "files":
      return source.files.map(({ name }) => name).join(", ");
    case "url":
      return shortened(source.url);
  }
}

/** A model's name for a sentence: its own, or that of its file. */
export function titleOf({ source, checked }: Selection): string {
  if (source.kind === "built-in") return source.title;
  const name = checked?.check.name.trim() ?? "";
  if (name !== "") return name;
  return source.kind === "files"
    ? (source.files[0]?.name ?? messages.value.choice.yourFile)
    : shortened(fileNameIn(source.url) || source.url);
}

/**
 * "98.4 MB", or what is still missing of it where some bytes are here; the model's data alone where nobody says how long the file is.
 */
export function sizeWords({ source, checked }: Selection, bytesHere = 0): string {
  const length = source.kind === "built-in" ? source.len_bytes : checked?.len_bytes;
  const size = length ?? checked?.check.needed_bytes ?? 0;
  if (bytesHere === 0 || bytesHere >= size) return megabytes(size);
  return messages.value.load.restOf(megabytes(size - bytesHere), megabytes(size));
}
