// The comparisons and the dissection recorded with the page, each fetched when it is first needed.
import { useEffect, useState } from "preact/hooks";
import type { CompareRequest, Comparison, Dissection } from "../shared/engine-records";
import { sourceWords } from "./figure-title";
import type { BuiltInSource } from "./session-state";

/** On which device it was recorded. */
interface Recorded {
  device: { name: string; driver: string };
}

export interface RecordedComparison extends Recorded {
  comparison: Comparison;
  request: CompareRequest;
  model: { name: string; sha256: string };
}

/** Where its numbers are from; the page's own model is called as everywhere. */
export function sourceOfRecord(
  { model, device, comparison }: RecordedComparison,
  builtIn: BuiltInSource,
): string {
  const title = model.sha256 === builtIn.sha256 ? builtIn.title : model.name;
  return sourceWords(title, device.name, comparison);
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
