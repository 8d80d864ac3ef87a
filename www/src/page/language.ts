// The page's language, and its words in that language.
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { locale } from "./format";
import { english } from "./messages/english";
import { say } from "./messages/said";
import { preference } from "./preference";

export const LANGUAGES = ["en", "ko"] as const;
export type Language = (typeof LANGUAGES)[number];
export type Messages = typeof english;

const usual: Language = globalThis.navigator?.language?.toLowerCase().startsWith("ko") ? "ko" : "en";
export const language = preference("language", LANGUAGES, usual);

/** The catalogue on show. Korean arrives with the first wish for it; until then the page speaks English. */
export const messages = signal<Messages>(english);

/** What is written in `index.html`, as it stood there. */
const written = new Map<Element, string>();

/**
 * Speaks the wanted language from now on. Settled when the page's first words are there, so that none is drawn in another language;
 * until then early.js has the fixed text hidden.
 */
export async function followLanguage(): Promise<void> {
  let first: Promise<void> = Promise.resolve();
  effect(() => {
    first = speakWanted(language.value);
  });
  await first;
  delete document.documentElement.dataset.awaits;
}

async function speakWanted(wanted: Language): Promise<void> {
  if (wanted === "en") return speak(english);
  try {
    const { korean } = await import("./messages/korean");
    if (wanted === language.value) speak(korean);
  } catch {
    // Where the catalogue cannot be fetched the page goes on in English.
  }
}

function speak(catalogue: Messages): void {
  locale.value = catalogue.language;
  messages.value = catalogue;
  document.documentElement.lang = catalogue.language;
  for (const element of document.querySelectorAll<HTMLElement>("[data-message]")) {
    const english = written.get(element) ?? element.textContent ?? "";
    written.set(element, english);
    const { message = "", arguments: filling = "[]" } = element.dataset;
    element.textContent = wordsOf(catalogue, message, JSON.parse(filling)) ?? english;
  }
}

/**
 * The words of a view whose code is fetched when it is first looked at: English comes with that code, Korean when it is wanted.
 * Settled when there are words in the language on show.
 */
export async function laterWords<Words>(
  inEnglish: Words,
  fetchKorean: () => Promise<Words>,
): Promise<ReadonlySignal<Words>> {
  const words = signal(inEnglish);
  const speakAs = async (spoken: string) => {
    if (spoken === "en") words.value = inEnglish;
    else {
      const inKorean = await fetchKorean().catch(() => inEnglish);
      if (messages.value.language === spoken) words.value = inKorean;
    }
  };
  let first: Promise<void> = Promise.resolve();
  effect(() => {
    first = speakAs(messages.value.language);
  });
  await first;
  return words;
}

/** The words for a data-message: "part.name" is an entry of the catalogue, which may want filling; any other is fixed text. */
export function wordsOf(catalogue: Messages, message: string, filling: unknown[]): string | undefined {
  const [part, name] = message.split(".");
  if (name === undefined) return catalogue.fixed[message];
  // The build has written both, by the catalogue's types.
  const entries = catalogue[part as keyof Messages] as Record<string, (...filling: unknown[]) => string>;
  return say(entries, [name, ...filling]);
}
