// What was loaded, in full: the device or the CPU twin, the model, and the self-test of its kernels.
import type { DeviceReport, Fingerprint, ModelReport, TokenizerReport } from "../shared/engine-records";
import type { AdapterProbe, LoadedModel, Processor } from "../shared/protocol";
import { binarySize, count } from "./format";
import { messages } from "./language";
import { Scrolling } from "./scrolling";
import type { Selection } from "./session-state";
import { fileWords, titleOf } from "./sources";

interface LoadedDetailsProps {
  loaded: LoadedModel;
  /** What it was loaded from. */
  selection: Selection;
  probe: AdapterProbe | null;
}

export function LoadedDetails({ loaded, selection, probe }: LoadedDetailsProps) {
  const { processor, model } = loaded;
  const isTwin = processor.kind === "cpu-twin";
  const { details } = messages.value.load;
  return (
    <details class="more">
      <summary>{isTwin ? details.summaryOfTwin : details.summary}</summary>
      <div class="facts">
        <Facts title={details.device} rows={processorRows(processor, probe)} />
        <Facts title={details.model} rows={modelRows(model, selection)} />
      </div>
      {!isTwin && <SelfTest checks={model.self_test} />}
    </details>
  );
}

export type Row = [string, preact.ComponentChildren];

function processorRows(processor: Processor, probe: AdapterProbe | null): Row[] {
  switch (processor.kind) {
    case "gpu":
      return deviceRows(processor.device, probe);
    case "cpu-twin": {
      const { details } = messages.value.load;
      return [
        [details.computesOn, details.onTwin],
        [details.kernels, details.kernelsOfTwin],
        [details.selfTest, details.selfTestOfTwin],
      ];
    }
  }
}

function deviceRows(device: DeviceReport, probe: AdapterProbe | null): Row[] {
  const { limits } = device;
  const { details } = messages.value.load;
  const told = Object.entries(probe?.told ?? {}).filter(([, word]) => word !== "");
  return [
    [details.adapter, device.name],
    [
      details.told,
      told.length > 0 ? told.map(([name, word]) => `${name} ${word}`).join(", ") : details.nothing,
    ],
    [details.computesOn, device.software ? details.onSoftware : details.onGpu],
    [details.backend, [device.backend, device.driver].filter((word) => word !== "").join(", ")],
    [details.family, device.family],
    [details.subgroups, device.subgroups ? details.subgroupsOf(device.subgroup_size) : details.no],
    [details.shaderF16, device.shader_f16 ? details.yes : details.no],
    [details.arithmetic, arithmeticWords(device.fingerprint)],
    [details.fingerprint, <code key="fingerprint">{device.fingerprint.hash}</code>],
    [details.largestBinding, binarySize(limits.max_storage_buffer_binding_size)],
    [details.largestBuffer, binarySize(limits.max_buffer_size)],
    [details.storageBuffers, count(limits.max_storage_buffers_per_shader_stage)],
    [details.workgroupMemory, binarySize(limits.max_compute_workgroup_storage_size)],
    [details.invocations, count(limits.max_compute_invocations_per_workgroup)],
  ];
}

function arithmeticWords(fingerprint: Fingerprint): string {
  const { details } = messages.value.load;
  return [
    fingerprint.multiply_add_fused ? details.fused : details.apart,
    fingerprint.sums_regrouped ? details.regrouped : details.asWritten,
    fingerprint.sums_and_products_wrong > 0 ? details.notNearest : details.nearest,
    fingerprint.subnormal_results_kept ? details.subnormalsKept : details.subnormalsFlushed,
  ].join(", ");
}

function contextWords({ context_len, max_context_len }: ModelReport): string {
  const { format, load } = messages.value;
  if (max_context_len >= context_len) return format.tokens(context_len);
  return load.details.contextOf(max_context_len, context_len);
}

/** How the vocabulary is read, with the doubts that there are. */
export function tokenizerWords({ model, rule, proven, loaded_anyway }: TokenizerReport): string {
  const { details } = messages.value.load;
  const doubts = [loaded_anyway ? details.ruleInPlace : "", proven ? "" : details.ruleNotProven];
  return [model, rule ? details.rule(rule) : "", ...doubts].filter((word) => word !== "").join(", ");
}

/** The name is the one that the page calls it by everywhere. */
export function modelRows(model: ModelReport, selection: Selection): Row[] {
  const { source } = selection;
  const { format, load } = messages.value;
  const { details } = load;
  const tensors = Object.entries(model.tensor_types).map(([type, n]) => `${n} ${type}`);
  return [
    [details.name, titleOf(selection)],
    [source.kind === "url" ? details.address : details.file, fileWords(source)],
    [details.architecture, details.blocks(model.architecture, model.n_blocks, model.embedding_dim)],
    [details.heads, details.headCounts(model.n_heads, model.n_kv_heads, model.head_dim)],
    [details.feedForward, count(model.feed_forward_dim)],
    [details.vocabulary, format.tokens(model.vocab_size)],
    [details.context, contextWords(model)],
    [details.tensors, tensors.join(", ")],
    [details.chunkRows, details.atMost(model.chunk_rows)],
    [details.size, details.bytes(model.len_bytes)],
    [hashName(selection), <code key="hash">{model.sha256}</code>],
    [details.tokenizer, tokenizerWords(model.tokenizer)],
    [details.tokenizerHash, <code key="tokenizer">{model.tokenizer.sha256}</code>],
    [details.template, templateWords(model)],
    [details.templateHash, <code key="template">{model.template_sha256 ?? details.noTemplate}</code>],
  ];
}

function templateWords({ template_name, template_names, template_sha256 }: ModelReport): string {
  if (template_name !== null) return template_name;
  const { details } = messages.value.load;
  const shown = template_sha256 === null ? details.none : details.defaultTemplate;
  return template_names.length > 0 ? details.otherTemplates(shown, template_names.join(", ")) : shown;
}

/** The hash of several parts is that of their bytes, one behind the other. */
function hashName({ checked }: Selection): string {
  const { details } = messages.value.load;
  return checked !== null && checked.n_files > 1 ? details.hashOfParts : details.hash;
}

function Facts({ title, rows }: { title: string; rows: Row[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <dl>
        <Rows rows={rows} />
      </dl>
    </div>
  );
}

export function Rows({ rows }: { rows: Row[] }) {
  return rows.map(([name, value]) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  ));
}

function SelfTest({ checks }: { checks: LoadedModel["model"]["self_test"] }) {
  const { details } = messages.value.load;
  return (
    <>
      <h3>{details.selfTestOf(checks.elapsed_ms)}</h3>
      <Scrolling name={details.selfTestOf(checks.elapsed_ms)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{details.kernel}</th>
              <th scope="col">{details.error}</th>
              <th scope="col">{details.bits}</th>
            </tr>
          </thead>
          <tbody>
            {checks.kernels.map((kernel) => (
              <tr key={kernel.name}>
                <th scope="row">{kernel.name}</th>
                <td>{kernel.nmse === 0 ? "0" : kernel.nmse.toExponential(1)}</td>
                <td>{kernel.bit_equal ? details.equal : details.withinTolerance}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </>
  );
}
