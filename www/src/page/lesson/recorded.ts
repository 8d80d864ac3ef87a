// The comparisons recorded with the page, fetched when a step first needs one.
import { useEffect, useState } from "preact/hooks";
import type { CompareRequest, Comparison } from "../../shared/engine-records";

export interface Recorded {
  comparison: Comparison;
  device: { driver: string };
  request: CompareRequest;
}

const RECORDED_FORK = "recorded/by-shape.json";

export type RecordedState = Recorded | "loading" | "unreadable";

let fetched: Promise<Recorded> | null = null;

async function fetchFork(): Promise<Recorded> {
  const response = await fetch(new URL(RECORDED_FORK, document.baseURI));
  if (!response.ok) throw new Error(`${RECORDED_FORK}: ${response.status}`);
  return response.json();
}

/** The recorded fork, once it is wanted. */
export function useRecordedFork(isWanted: boolean): RecordedState {
  const [state, setState] = useState<RecordedState>("loading");
  useEffect(() => {
    if (!isWanted) return;
    fetched ??= fetchFork();
    fetched.then(setState, () => {
      // The next wish tries again.
      fetched = null;
      setState("unreadable");
    });
  }, [isWanted]);
  return state;
}
