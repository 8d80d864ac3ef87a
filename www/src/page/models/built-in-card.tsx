// The model that comes with the page: what it is, and whether this browser keeps it.
import type { StoredModel } from "../../shared/model-records";
import { megabytes } from "../format";
import { messages } from "../language";
import { Rows } from "../loaded-details";
import type { Session } from "../session";
import { isIncomplete, StoredState } from "./stored-card";

interface BuiltInCardProps {
  session: Session;
  /** What this browser keeps of it; null where that is nothing. */
  kept: StoredModel | null;
  /** It could not be deleted: it is being read or written. */
  isInUse: boolean;
  onLoad: () => void;
  onDelete: (model: StoredModel) => void;
}

export function BuiltInCard({ session, kept, isInUse, onLoad, onDelete }: BuiltInCardProps) {
  const { models, load } = messages.value;
  const { builtIn } = session;
  const adapter = session.adapter.value.kind;
  const model = session.model.value;
  const isLoaded = model.kind === "ready" && model.selection.source.kind === "built-in";
  const cannotLoad = session.isBusy.value || adapter === "checking" || adapter === "failed";
  return (
    <section class="model-card" aria-labelledby="built-in-heading" data-model="built-in">
      <h2 id="built-in-heading">{builtIn.title}</h2>
      <p>{models.builtIn}</p>
      <dl>
        <Rows
          rows={[
            [load.details.file, builtIn.file_name],
            [load.details.size, `${load.details.bytes(builtIn.len_bytes)}`],
            [load.details.hash, <code key="hash">{builtIn.sha256}</code>],
            [models.licence, models.builtInLicence],
            [models.state, kept === null ? models.notKeptYet : <StoredState key="state" model={kept} />],
          ]}
        />
      </dl>
      <div class="buttons">
        <button type="button" disabled={cannotLoad || isLoaded} onClick={onLoad}>
          {isLoaded
            ? models.isLoaded
            : kept !== null && isIncomplete(kept)
              ? models.resume(megabytes(kept.record.checked_bytes), megabytes(builtIn.len_bytes))
              : kept?.kind === "verified"
                ? models.loadKept
                : models.download(megabytes(builtIn.len_bytes))}
        </button>
        {kept !== null && (
          <button type="button" class="quiet" onClick={() => onDelete(kept)}>
            {models.remove(builtIn.title)}
          </button>
        )}
      </div>
      {isInUse && <p class="note-box">{models.inUse}</p>}
    </section>
  );
}
