// The comparisons and the dissection recorded with the page, each fetched when it is first needed.
import { useEffect, useState } from "preact/hooks";
import type { CompareRequest, Comparison, Dissection } from "../shared/engine-records";

/** On which device it was recorded. */
interface Recorded {
  device: { driver: string };
}

export interface RecordedComparison extends Recorded {
  comparison: Comparison;
  request: CompareRequest;
}

/** The dissection of the recorded fork. */
export type RecordedDissection = Dissection & Recorded;

export type RecordedState<Record> = Record | "loading" | "unreadable";

/** Records by their address, once they are fetched. */
const fetched = new Map<string, Promise<unknown>>();

async function fetchRecord(path: string): Promise<unknown> {
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** A record, once it is wanted. */
function useRecord<Record>(path: string, isWanted: boolean): RecordedState<Record> {
  const [state, setState] = useState<RecordedState<Record>>("loading");
  useEffect(() => {
    if (!isWanted) return;
    const record = fetched.get(path) ?? fetchRecord(path);
    fetched.set(path, record);
    record.then(
      (found) => setState(() => found as Record),
      () => {
        // The next wish tries again.
        fetched.delete(path);
        setState("unreadable");
      },
    );
  }, [path, isWanted]);
  return state;
}

export function useRecordedFork(isWanted: boolean): RecordedState<RecordedComparison> {
  return useRecord("recorded/by-shape.json", isWanted);
}

export function useRecordedDissection(isWanted: boolean): RecordedState<RecordedDissection> {
  return useRecord("recorded/dissection.json", isWanted);
}
