// What a header says of a model, whether it fits, and the button that loads it.
import type { Fit, KvNeed } from "../../shared/engine-records";
import type { CheckedSource } from "../../shared/protocol";
import { count, megabytes, shortened } from "../format";
import { messages } from "../language";
import { type Row, Rows, tokenizerWords } from "../loaded-details";
import { Scrolling } from "../scrolling";
import type { Selection } from "../session-state";
import { fileWords, sizeWords, titleOf } from "../sources";

interface FitCardProps {
  selection: Selection;
  checked: CheckedSource;
  isBusy: boolean;
  onLoad: () => void;
}

export function FitCard({ selection, checked, isBusy, onLoad }: FitCardProps) {
  const { fit, notes, tokenizer } = checked.check;
  const { choice } = messages.value;
  return (
    <section class="offer fit" aria-labelledby="fit-heading" data-fits={fit.fits}>
      <h2 id="fit-heading">
        <FitMark fits={fit.fits} />
        {titleOf(selection)}
      </h2>
      <FitWords fit={fit} />
      {selection.load_anyway && tokenizer.loaded_anyway && (
        <p>{choice.loadedAnyway(tokenizer.pre_tokenizer, tokenizer.rule)}</p>
      )}
      {notes.length > 0 && (
        <>
          <p>{choice.notes}</p>
          <ul lang="en" class="notes">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
      <div class="facts">
        <dl>
          <Rows rows={factRows(selection, checked)} />
        </dl>
        <ContextTable needs={fit.kv} formats={checked.formats} />
      </div>
      {fit.binding_fits ? (
        <button type="button" class="primary" disabled={isBusy} onClick={onLoad}>
          {fit.memory_fits ? choice.load(sizeWords(selection)) : choice.loadAllTheSame(sizeWords(selection))}
        </button>
      ) : (
        <p>{choice.smaller}</p>
      )}
    </section>
  );
}

function FitWords({ fit }: { fit: Fit }) {
  const { choice } = messages.value;
  return (
    <p>
      {fit.fits ? choice.fits : choice.fitsNot} {choice.memory(fit)}
      {fit.binding_limit_bytes !== null && ` ${choice.binding(fit, fit.binding_limit_bytes)}`}
    </p>
  );
}

function FitMark({ fits }: { fits: boolean }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={fits ? "M3.5 8.5 6.5 11.5 12.5 4.5" : "M4 4 12 12 M12 4 4 12"} />
    </svg>
  );
}

function factRows({ source }: Selection, { check, len_bytes, redirected_to, n_files }: CheckedSource): Row[] {
  const tensors = Object.entries(check.tensor_types).map(([type, n]) => `${n} ${type}`);
  const { choice, format } = messages.value;
  const { details } = messages.value.load;
  const file = n_files > 1 ? choice.files(n_files) : source.kind === "url" ? details.address : details.file;
  const rows: Row[] = [
    [file, fileWords(source)],
    [details.architecture, details.blocks(check.architecture, check.n_blocks, check.embedding_dim)],
    [choice.parameters, format.parameters(check.fit.n_parameters)],
    [details.tensors, tensors.join(", ")],
    [details.size, len_bytes === null ? choice.sizeNotTold : details.bytes(len_bytes)],
    [details.context, format.tokens(check.context_len)],
    [details.tokenizer, tokenizerWords(check.tokenizer)],
    [messages.value.models.licence, <bdi key="licence">{shortened(check.license ?? choice.noLicence)}</bdi>],
  ];
  const surplus = (len_bytes ?? check.needed_bytes) - check.needed_bytes;
  if (surplus >= SURPLUS_TOLD_BYTES) rows.push([choice.surplus, choice.ignored(surplus)]);
  if (redirected_to !== null) rows.push([choice.comesFrom, <Host key="host" name={redirected_to} />]);
  return rows;
}

const LONGEST_HOST = 48;

/** The beginning and the end of a long name; all of it where it is unfolded. */
function Host({ name }: { name: string }) {
  const short = shortened(name, LONGEST_HOST);
  if (short === name) return <bdi>{name}</bdi>;
  return (
    <details class="host" title={name}>
      <summary>
        <bdi>{short}</bdi>
      </summary>
      <bdi>{name}</bdi>
    </details>
  );
}

/** Less is padding. */
const SURPLUS_TOLD_BYTES = 65_536;

function ContextTable({ needs, formats }: { needs: readonly KvNeed[]; formats: string }) {
  const { choice } = messages.value;
  return (
    <Scrolling name={choice.tableCaption(formats)}>
      <table class="numbers">
        <caption>{choice.tableCaption(formats)}</caption>
        <thead>
          <tr>
            <th scope="col">{choice.context}</th>
            <th scope="col">{choice.keysAndValues}</th>
            <th scope="col">{choice.withWeights}</th>
            <th scope="col">{choice.fit}</th>
          </tr>
        </thead>
        <tbody>
          {needs.map((need) => (
            <tr key={need.context_len}>
              <th scope="row">{count(need.context_len)}</th>
              <td>{megabytes(need.kv_bytes)}</td>
              <td>{megabytes(need.total_bytes)}</td>
              <td>{need.fits ? choice.yes : choice.no}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}
