// The two switches that hold everywhere: language and colours.
import { LANGUAGES, type Language, language, messages } from "./language";
import { THEMES, theme } from "./theme";

/** Each in its own words, as those who look for it read them. */
const LANGUAGE_NAMES: Record<Language, string> = { en: "English", ko: "한국어" };

export function Preferences() {
  const { shell } = messages.value;
  return (
    <>
      <label>
        <span class="visually-hidden">{shell.language}</span>
        <select
          value={language.value}
          onChange={(event) => {
            language.value = event.currentTarget.value as Language;
          }}
        >
          {LANGUAGES.map((name) => (
            <option key={name} value={name} lang={name}>
              {LANGUAGE_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="visually-hidden">{shell.theme}</span>
        <select
          value={theme.value}
          onChange={(event) => {
            theme.value = event.currentTarget.value as (typeof THEMES)[number];
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {shell.themes[name]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
