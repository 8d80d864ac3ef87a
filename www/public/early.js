// Before the first paint: the colours a person has chosen, and where the page will speak Korean, no English that would change under
// their eyes. The page's own script takes over; should it not come, the English text is shown after all.
{
  const LONGEST_WAIT_MS = 3000;
  const root = document.documentElement;
  const kept = (name) => {
    try {
      return localStorage.getItem(`lastbit.${name}`);
    } catch {
      return null;
    }
  };
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const isKoreanBrowser = navigator.language?.toLowerCase().startsWith("ko") ?? false;
  if (kept("language") === "ko" || (kept("language") !== "en" && isKoreanBrowser)) {
    root.dataset.awaits = "ko";
    setTimeout(() => root.removeAttribute("data-awaits"), LONGEST_WAIT_MS);
  }
}
