// What crosses between the page and its service worker, and what the build tells the service worker. Types only.

/** Files of one build, by their addresses below the page's own. */
export interface Precache {
  /** A hash of all of them: another build has another one, and a cache of its own. */
  version: string;
  /** What the page needs to be read. */
  reading: string[];
  /** The other views, the workers, the engines. */
  rest: string[];
}

/** Each is sent with a port for its answer. */
export type OfflineRequest =
  | { kind: "what-is-kept" }
  /** The rest as well. */
  | { kind: "keep-everything" }
  /** To a new version that waits: to begin now, unless pages of the old one are open besides the one that asks. */
  | { kind: "take-over" };

export type OfflineResponse =
  | { kind: "kept"; what: "reading" | "everything" }
  | { kind: "taking-over" }
  | { kind: "others-are-open" };
