// A throw-away worker: renders one request of a stranger's template, in a small wasm instance of its own.
// Whoever started it ends it, after the answer or when the time is up.
import init, { render } from "lastbit-template";
import type { TemplateMessage } from "./template-renderer";

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = ({ data: request }: MessageEvent<string>) => {
  try {
    post({ kind: "rendered", reply: render(request) });
  } catch (reason) {
    // Out of memory or out of stack: the instance is of no use after.
    post({ kind: "crashed", how: String(reason) });
  }
};

await init();
post({ kind: "ready" });

function post(message: TemplateMessage): void {
  self.postMessage(message);
}
