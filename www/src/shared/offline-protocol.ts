// What crosses between the page and its service worker, and what the build tells the service worker. Types only.

/** Files of one build, by their addresses below the page's own. */
export interface Precache {
  /** A hash of all of them: another build has another one, and a cache of its own. */
  version: string;
  /** What the page needs to be read. */
  reading: string[];
  /** Scripts and styles of the other views and of the workers. */
  views: string[];
  /** The engines, and whatever else there is. */
  rest: string[];
}

/** Each is sent with a port for its answer. */
export type OfflineRequest =
  /** All views, without what computes in them. */
  | { kind: "keep-views" }
  /** The views and the rest as well. */
  | { kind: "keep-everything" }
  /** To a new version that waits: to begin now, unless pages of the old one are open besides the one that asks. */
  | { kind: "take-over" };

export type OfflineResponse =
  | { kind: "kept"; what: "reading" | "views" | "everything" }
  | { kind: "taking-over" }
  | { kind: "others-are-open" };
