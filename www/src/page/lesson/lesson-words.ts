// The words of the lesson, which come with its code.
import { laterWords } from "../language";
import { lesson as english } from "../messages/english/lesson";

export const lessonWords = await laterWords(
  english,
  async () => (await import("../messages/korean/lesson")).lesson,
);
