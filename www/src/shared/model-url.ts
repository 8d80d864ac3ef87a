// Which addresses a model may be fetched from. The page asks before it sends one to the worker, and the worker
// asks again after every redirect.

/** https from anywhere, or whatever scheme this site itself has; never with a name and password, which browsers do not send. */
export function isAllowedModelUrl(url: URL, siteOrigin: string): boolean {
  if (url.username !== "" || url.password !== "") return false;
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

/** The last part of an address's path. */
export function fileNameIn(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}

/** The same address of another file beside it; what follows a `?` stays. */
export function besides(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = other.pathname.replace(/[^/]*$/, name);
  return other.href;
}
