// The page's address: which view, and what it is to show. Pure. What a link holds is inputs, never results.

export const VIEWS = ["run", "why", "lesson", "models"] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  view: View;
  parameters: URLSearchParams;
}

/** "#/why?x=1" → the view Why and x; null for a hash that names no view: a place inside the page, or nothing. */
export function addressFrom(hash: string): Address | null {
  const match = /^#\/([a-z]*)(?:\?(.*))?$/s.exec(hash);
  const view = VIEWS.find((name) => name === match?.[1]);
  return view ? { view, parameters: new URLSearchParams(match?.[2] ?? "") } : null;
}

export function hashOf(view: View, parameters = new URLSearchParams()): string {
  const query = parameters.toString();
  return query === "" ? `#/${view}` : `#/${view}?${query}`;
}
