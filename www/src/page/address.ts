// The page's address: which view, and what it is to show. Pure. What a link holds is inputs, never results.

export const VIEWS = ["run", "why", "lesson", "models"] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  view: View;
  parameters: URLSearchParams;
  /** What the address names in place of a view, where there is no such view; the first one is then shown. */
  missing_view: string | null;
}

/** "#/why?x=1" → the view Why and x; null for a hash of another kind: a place inside the page, or nothing. */
export function addressFrom(hash: string): Address | null {
  const match = /^#\/([^?]*)(?:\?(.*))?$/s.exec(hash);
  if (match === null) return null;
  const [, named = "", query = ""] = match;
  const view = VIEWS.find((name) => name === named.toLowerCase());
  return {
    view: view ?? VIEWS[0],
    parameters: new URLSearchParams(query),
    missing_view: view || named === "" ? null : named,
  };
}

export function hashOf(view: View, parameters = new URLSearchParams()): string {
  const query = parameters.toString();
  return query === "" ? `#/${view}` : `#/${view}?${query}`;
}
