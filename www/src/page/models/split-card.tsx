// A model in parts that this browser keeps: one card for all of its files.
import { bytes, count } from "../format";
import { messages } from "../language";
import { type Row, Rows } from "../loaded-details";
import { StoredState } from "./stored-card";
import { bytesOf, isWhole, type StoredSplit } from "./stored-models";

interface SplitCardProps {
  split: StoredSplit;
  /** It could not be deleted: it is being read or written. */
  isInUse: boolean;
  isBusy: boolean;
  onLoad: (url: string) => void;
  onDelete: () => void;
}

export function SplitCard({ split, isInUse, isBusy, onLoad, onDelete }: SplitCardProps) {
  const { models } = messages.value;
  const kept = bytesOf(split.parts);
  const state = isWhole(split) ? "verified" : kept > 0 ? "incomplete" : "gone";
  return (
    <li class="model-card" data-state={state}>
      <h3>
        <bdi>{split.name}</bdi>
      </h3>
      <dl>
        <Rows rows={rowsOf(split, kept)} />
      </dl>
      <div class="buttons">
        <button type="button" disabled={isBusy} onClick={() => onLoad(split.of)}>
          {state === "verified"
            ? models.loadKept
            : state === "incomplete"
              ? models.resume(bytes(kept), null)
              : models.downloadAgain}
        </button>
        <button type="button" class="quiet" onClick={onDelete}>
          {models.remove(split.name)}
        </button>
      </div>
      {isInUse && <p class="note-box">{models.inUse}</p>}
    </li>
  );
}

function rowsOf(split: StoredSplit, kept: number): Row[] {
  const { models, load } = messages.value;
  const rows: Row[] = [[load.details.address, <bdi key="url">{split.of}</bdi>]];
  const [first] = split.parts;
  if (isWhole(split) && first !== undefined) {
    rows.push([load.details.size, load.details.bytes(kept)]);
    for (const { kind, record } of split.parts) {
      if (kind !== "verified") continue;
      const { number } = record.part;
      rows.push([models.hashOfPart(number), <code key={number}>{record.sha256}</code>]);
    }
    rows.push([models.state, <StoredState key="state" model={first} />]);
  } else {
    const words = kept > 0 ? models.incompleteParts(count(kept), split.count) : models.gone;
    rows.push([models.state, words]);
  }
  return rows;
}
