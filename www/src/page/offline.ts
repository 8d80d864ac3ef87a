// What of the page opens without a network, and whether a new version of it waits. The first view is kept once it has
// been shown; everything else, the engines above all, once a person has used an engine or asks for it.
import { signal } from "@preact/signals";
import type { OfflineRequest, OfflineResponse } from "../shared/offline-protocol";
import { trustedWorkerUrl } from "../shared/trusted-worker-url";

/** "reading": the page and the recorded run. "everything": all views and the engines too. */
export type Offline = "nothing" | "reading" | "everything";

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
    await note({ kind: "what-is-kept" });
  } catch {
    // A browser that refuses it, or a server that lacks it: the page works online alone.
  }
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
  const { waiting } = await navigator.serviceWorker.ready;
  if (!waiting) return location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
  const { kind } = await ask(waiting, { kind: "take-over" });
  if (kind === "others-are-open") newVersion.value = "held-up-by-other-tabs";
}
