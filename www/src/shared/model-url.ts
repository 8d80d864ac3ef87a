// Which addresses a model may be fetched from. The page asks before it sends one to the worker, and the worker
// asks again after every redirect.

/** https from anywhere, or whatever scheme this site itself has. */
export function isAllowedModelUrl(url: URL, siteOrigin: string): boolean {
  return url.protocol === "https:" || url.origin === siteOrigin;
}

/** What a person typed as an address; null where it is none that a model may come from. */
export function modelUrlFrom(typed: string, pageUrl: string): string | null {
  const text = typed.trim();
  if (text === "" || !URL.canParse(text, pageUrl)) return null;
  const url = new URL(text, pageUrl);
  url.hash = "";
  return isAllowedModelUrl(url, new URL(pageUrl).origin) ? url.href : null;
}
