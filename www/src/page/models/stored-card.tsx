// One model that this browser keeps: whole, in part, or no longer.
import type { PartRecord, StoredModel } from "../../shared/model-records";
import { bytes, count } from "../format";
import { language, messages } from "../language";
import { type Row, Rows } from "../loaded-details";

interface StoredCardProps {
  model: StoredModel;
  /** It could not be deleted: it is being read or written. */
  isInUse: boolean;
  isBusy: boolean;
  onLoad: (url: string) => void;
  onDelete: () => void;
}

export function StoredCard({ model, isInUse, isBusy, onLoad, onDelete }: StoredCardProps) {
  const { models } = messages.value;
  const name = model.kind === "needs-check" ? models.unnamed(model.id.slice(0, 8)) : model.record.name;
  return (
    <li class="model-card" data-state={model.kind}>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <dl>
        <Rows rows={rowsOf(model)} />
      </dl>
      <div class="buttons">
        {model.kind !== "needs-check" && (
          <button type="button" disabled={isBusy} onClick={() => onLoad(model.record.url)}>
            {actionWords(model)}
          </button>
        )}
        <button type="button" class="quiet" onClick={onDelete}>
          {models.remove(name)}
        </button>
      </div>
      {isInUse && <p class="note-box">{models.inUse}</p>}
    </li>
  );
}

function rowsOf(model: StoredModel): Row[] {
  const { models, load } = messages.value;
  const rows: Row[] = [];
  if (model.kind !== "needs-check")
    rows.push([load.details.address, <bdi key="url">{model.record.url}</bdi>]);
  if (model.kind === "verified") {
    rows.push([load.details.size, load.details.bytes(model.record.len_bytes)]);
    rows.push([load.details.hash, <code key="hash">{model.record.sha256}</code>]);
  }
  rows.push([models.state, <StoredState key="state" model={model} />]);
  return rows;
}

function actionWords(model: Exclude<StoredModel, { kind: "needs-check" }>): string {
  const { models } = messages.value;
  switch (model.kind) {
    case "verified":
      return models.loadKept;
    case "incomplete": {
      const { checked_bytes, version } = model.record;
      return models.resume(bytes(checked_bytes), version.total === null ? null : bytes(version.total));
    }
    case "gone":
      return models.downloadAgain;
  }
}

/** What is kept of it, in a sentence. */
export function StoredState({ model }: { model: StoredModel }) {
  const { models } = messages.value;
  switch (model.kind) {
    case "verified":
      return <>{models.verified(dateWords(model.record.stored_at))}</>;
    case "incomplete":
      return <>{models.incomplete(count(model.record.checked_bytes))}</>;
    case "gone":
      return <>{models.gone}</>;
    case "needs-check":
      return <>{models.needsCheck(bytes(model.len_bytes))}</>;
  }
}

export function isIncomplete(
  model: StoredModel,
): model is { kind: "incomplete"; id: string; record: PartRecord } {
  return model.kind === "incomplete";
}

function dateWords(iso: string): string {
  return new Date(iso).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" });
}
