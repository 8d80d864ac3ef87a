// The one door through which the page's policy lets the scripts of workers in.

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

let workerPolicy: ReturnType<TrustedTypes["createPolicy"]> | null = null;

/** The address of a worker of ours, as the policy wants it. */
export function trustedWorkerUrl(url: string): string {
  const trustedTypes = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!trustedTypes) return url;
  workerPolicy ??= trustedTypes.createPolicy("app-worker", { createScriptURL: (allowed) => allowed });
  return workerPolicy.createScriptURL(url);
}
