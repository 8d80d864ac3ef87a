// Keeps the page for offline use. One cache a version, filled from the build's own list: no page ever meets files of
// two versions. Models are not among them; they are kept by the page, in files of their own.
import type { OfflineRequest, OfflineResponse, Precache } from "../shared/offline-protocol";

declare const self: ServiceWorkerGlobalScope;
/** Written into this file by the build. */
declare const __PRECACHE__: Precache;

const { version, reading, views, rest } = __PRECACHE__;
const PREFIX = "lastbit-page-";
const CACHE = PREFIX + version;

const addressOf = (path: string) => new URL(path, self.registration.scope).href;
const kept = new Set([...reading, ...views, ...rest].map(addressOf));

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

/** Whoever had everything offline keeps everything offline. */
async function install(): Promise<void> {
  const before = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  const hadAll = await Promise.all(before.map(async (name) => hasEngine(await caches.open(name))));
  await keep(hadAll.includes(true) ? [...reading, ...views, ...rest] : reading);
}

async function hasEngine(cache: Cache): Promise<boolean> {
  return (await cache.keys()).some(({ url }) => url.endsWith(".wasm"));
}

/** No page of an older version is open any more. */
async function activate(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** All of these files, or it rejects. */
async function keep(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const path of paths) {
    const address = addressOf(path);
    if (!(await cache.match(address))) await cache.add(new Request(address, { cache: "no-cache" }));
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  url.search = url.hash = "";
  const address = url.href === addressOf("index.html") ? addressOf("./") : url.href;
  if (request.method === "GET" && kept.has(address)) event.respondWith(answer(address, request));
});

async function answer(address: string, request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(address)) ?? fetch(request);
}

self.addEventListener("message", (event) => {
  const [port] = event.ports;
  const { kind } = event.data as OfflineRequest;
  const reply = (response: OfflineResponse) => port?.postMessage(response);
  event.waitUntil(respond(kind).then(reply));
});

async function respond(kind: OfflineRequest["kind"]): Promise<OfflineResponse> {
  switch (kind) {
    // Without a network, or room, what is there stays; the answer says what that is.
    case "keep-views":
      await keep([...reading, ...views]).catch(() => {});
      return whatIsKept();
    case "keep-everything":
      await keep([...reading, ...views, ...rest]).catch(() => {});
      return whatIsKept();
    case "take-over": {
      const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
      if (pages.length > 1) return { kind: "others-are-open" };
      await self.skipWaiting();
      return { kind: "taking-over" };
    }
  }
}

async function whatIsKept(): Promise<OfflineResponse> {
  const cache = await caches.open(CACHE);
  const has = async (paths: readonly string[]) =>
    !(await Promise.all(paths.map((path) => cache.match(addressOf(path))))).includes(undefined);
  if (!(await has(views))) return { kind: "kept", what: "reading" };
  return { kind: "kept", what: (await has(rest)) ? "everything" : "views" };
}
