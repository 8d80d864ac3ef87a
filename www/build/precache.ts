// Which files of a build the service worker keeps, and when. Pure.
import type { Precache } from "../src/shared/offline-protocol";

export const SERVICE_WORKER = "service-worker.js";
/** Where the service worker's own file names its list. */
export const PLACE = "__PRECACHE__";

/** Maps are for people who read the code, online. */
export function isKept(name: string): boolean {
  return !name.endsWith(".map") && name !== SERVICE_WORKER;
}

/** `names` are all files that are kept; `version` is a hash of them. */
export function precacheOf(names: readonly string[], indexHtml: string, version: string): Precache {
  // By the address that visitors use: many servers redirect from the file's own name.
  const paths = names.map((name) => (name === "index.html" ? "./" : name));
  const groupOf = (path: string) => {
    if (isNeededAtOnce(path, indexHtml)) return "reading";
    return /\.(js|css)$/.test(path) ? "views" : "rest";
  };
  const of = (group: string) => paths.filter((path) => groupOf(path) === group);
  return { version, reading: of("reading"), views: of("views"), rest: of("rest") };
}

/** What `index.html` itself asks for or links to, and the languages that the page may open in. */
function isNeededAtOnce(path: string, indexHtml: string): boolean {
  return path === "./" || indexHtml.includes(path) || /^assets\/korean-/.test(path);
}
