// What this browser's storage did in a load, in words.
import type { StorageNews } from "../shared/protocol";
import { messages } from "./language";

export function storageWords(news: StorageNews): string {
  const { models } = messages.value;
  switch (news.kind) {
    case "from-storage":
      return models.fromStorage;
    case "continued":
      return models.continued(news.bytes);
    case "kept":
      return models.kept;
    case "not-kept":
      return models.notKept[news.why](news.needs_bytes, news.free_bytes);
  }
}
