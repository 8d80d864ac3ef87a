// The words of the view Why, fetched with it.
import { laterWords } from "./language";
import { why as english } from "./messages/english/why";

export const whyWords = await laterWords(english, async () => (await import("./messages/korean/why")).why);
