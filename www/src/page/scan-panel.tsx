// The search for a fork: its button, and what it tried.
import { messages } from "./language";
import type { Scan } from "./scan";

interface ScanPanelProps {
  scan: Scan;
  isDisabled: boolean;
}

export function ScanPanel({ scan, isDisabled }: ScanPanelProps) {
  const words = messages.value.scan;
  const { kind, tried, of } = scan.state.value;
  const n_forked = tried.filter(({ fork }) => fork !== null).length;
  return (
    <div class="scan">
      {kind !== "running" && (
        <>
          <button type="button" class="quiet" disabled={isDisabled} onClick={() => scan.run()}>
            {words.begin}
          </button>
          <p class="hint">{words.explained}</p>
        </>
      )}
      {kind !== "none" && (
        <>
          <p>
            <strong>{words.tried(tried.length, of, n_forked)}</strong>
          </p>
          <ol>
            {tried.map(({ prompt, verdict, fork }) => (
              <li key={prompt.name}>
                {words.one(
                  messages.value.prompts.labels[prompt.name],
                  messages.value.result.verdicts[verdict],
                  fork === null ? null : fork + 1,
                )}
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
