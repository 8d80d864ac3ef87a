// What a header says of a model, whether it fits, and the button that loads it.
import type { KvNeed } from "../shared/engine-records";
import type { CheckedSource } from "../shared/protocol";
import { count, megabytes } from "./format";
import { type Row, Rows, tokenizerWords } from "./loaded-details";
import type { Selection } from "./session-state";
import { fileWords, parameterWords, sizeWords, titleOf } from "./sources";

interface FitCardProps {
  selection: Selection;
  checked: CheckedSource;
  isBusy: boolean;
  onLoad: () => void;
}

export function FitCard({ selection, checked, isBusy, onLoad }: FitCardProps) {
  const { fit } = checked.check;
  return (
    <section class="offer fit" aria-labelledby="fit-heading" data-fits={fit.fits}>
      <h2 id="fit-heading">
        <FitMark fits={fit.fits} />
        {titleOf(selection)}
      </h2>
      <p>{fit.sentence}</p>
      {selection.load_anyway && checked.check.tokenizer.loaded_anyway && (
        <p>
          Its pre-tokenizer, {checked.check.tokenizer.pre_tokenizer ?? "not named"}, is unknown here. You
          chose to load it anyway, with the rule {checked.check.tokenizer.rule}: the model may read other
          tokens than it was trained with.
        </p>
      )}
      <div class="facts">
        <dl>
          <Rows rows={factRows(selection, checked)} />
        </dl>
        <ContextTable needs={fit.kv} formats={checked.formats} />
      </div>
      {fit.binding_fits ? (
        <button type="button" class="primary" disabled={isBusy} onClick={onLoad}>
          {fit.memory_fits ? "Load" : "Load it all the same"} · {sizeWords(selection)}
        </button>
      ) : (
        <p>Choose a smaller model, or one in a format of fewer bits.</p>
      )}
    </section>
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
  const rows: Row[] = [
    [n_files > 1 ? `Files, ${n_files} parts` : source.kind === "url" ? "Address" : "File", fileWords(source)],
    ["Architecture", `${check.architecture}, ${check.n_blocks} blocks of ${count(check.embedding_dim)}`],
    ["Parameters", parameterWords(check.fit.n_parameters)],
    ["Tensors", tensors.join(", ")],
    ["Size", len_bytes === null ? "not told by the server" : `${count(len_bytes)} bytes`],
    ["Context", `${count(check.context_len)} tokens`],
    ["Tokenizer", tokenizerWords(check.tokenizer)],
  ];
  const surplus = (len_bytes ?? check.needed_bytes) - check.needed_bytes;
  if (surplus >= SURPLUS_TOLD_BYTES) rows.push(["Behind the model", `${count(surplus)} bytes, ignored`]);
  if (redirected_to !== null) rows.push(["Comes from", redirected_to]);
  return rows;
}

/** Less is padding. */
const SURPLUS_TOLD_BYTES = 65_536;

function ContextTable({ needs, formats }: { needs: KvNeed[]; formats: string }) {
  return (
    <div class="scroll">
      <table class="numbers">
        <caption>Keys and values, formats {formats}</caption>
        <thead>
          <tr>
            <th scope="col">Context</th>
            <th scope="col">Keys and values</th>
            <th scope="col">With weights</th>
            <th scope="col">Fits</th>
          </tr>
        </thead>
        <tbody>
          {needs.map((need) => (
            <tr key={need.context_len}>
              <th scope="row">{count(need.context_len)}</th>
              <td>{megabytes(need.kv_bytes)}</td>
              <td>{megabytes(need.total_bytes)}</td>
              <td>{need.fits ? "yes" : "no"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
