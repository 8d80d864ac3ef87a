// What of the page opens without a network, and whether a new version of it waits. The first view is kept once it has
// been shown, the other views when the page then has nothing to do; the engines once a person has used one or asks for them.
import { signal } from "@preact/signals";
import type { OfflineRequest, OfflineResponse } from "../shared/offline-protocol";
import { trustedWorkerUrl } from "../shared/trusted-worker-url";

/** "reading": the first view. "views": all of them. "everything": the engines too. */
export type Offline = "nothing" | "reading" | "views" | "everything";

export const offline = signal<Offline>("nothing");

/** Whether the next visit meets a new version. */
export const newVersion = signal<"none" | "waiting" | "held-up-by-other-tabs">("none");

/** Once the page has been loaded: its first view comes first. */
export function followOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  if (document.readyState === "complete") void register();
  else addEventListener("load", () => void register());
}

async function register(): Promise<void> {
  try {
    const url = new URL("service-worker.js", document.baseURI).href;
    const registration = await navigator.serviceWorker.register(trustedWorkerUrl(url));
    followUpdates(registration);
    await idle();
    await note({ kind: "keep-views" });
  } catch {
    // A browser that refuses it, or a server that lacks it: the page works online alone.
  }
}

/** Where a browser cannot tell, a moment after the page has been loaded. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, 1000);
  });
}

/** Keeps all views and the engines for offline use; what a person cannot have now is tried again the next time. */
export async function keepEverything(): Promise<void> {
  if (!("serviceWorker" in navigator) || offline.value === "everything") return;
  await note({ kind: "keep-everything" });
}

async function note(request: OfflineRequest): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  const response = active && (await ask(active, request));
  if (response?.kind === "kept") offline.value = response.what;
}

function ask(worker: ServiceWorker, request: OfflineRequest): Promise<OfflineResponse> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<OfflineResponse>) => resolve(data);
    worker.postMessage(request, [port2]);
  });
}

function followUpdates(registration: ServiceWorkerRegistration): void {
  const look = () => {
    // The very first version waits for nobody.
    if (registration.waiting && navigator.serviceWorker.controller) newVersion.value = "waiting";
  };
  look();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", look);
  });
}

/** Begins the new version here, unless pages of the old one are still open. */
export async function takeNewVersion(): Promise<void> {
  const waiting = await waitingVersion();
  if (!waiting) return location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
  const { kind } = await ask(waiting, { kind: "take-over" });
  if (kind === "others-are-open") newVersion.value = "held-up-by-other-tabs";
}

/** The new version, also one that this page has not heard of yet. */
async function waitingVersion(): Promise<ServiceWorker | null> {
  if (!("serviceWorker" in navigator)) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  if (!registration?.waiting) await registration?.update().catch(() => {});
  const installing = registration?.installing;
  if (installing) {
    await new Promise((resolve) => installing.addEventListener("statechange", resolve, { once: true }));
  }
  return registration?.waiting ?? null;
}

/** Whether the site answers, so that a part of this page that it lacks is one of an older version. */
export async function siteAnswers(): Promise<boolean> {
  try {
    // A file that no cache of the page's has.
    const url = new URL("service-worker.js", document.baseURI);
    return (await fetch(url, { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
