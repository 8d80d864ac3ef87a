// What was loaded, in full: the device or the CPU twin, the model, and the self-test of its kernels.
import type { DeviceReport, Fingerprint, ModelReport, TokenizerReport } from "../shared/engine-records";
import type { AdapterProbe, LoadedModel, ModelSource, Processor } from "../shared/protocol";
import { binarySize, count, duration } from "./format";
import { fileWords } from "./sources";

interface LoadedDetailsProps {
  loaded: LoadedModel;
  source: ModelSource;
  probe: AdapterProbe | null;
}

export function LoadedDetails({ loaded, source, probe }: LoadedDetailsProps) {
  const { processor, model } = loaded;
  const isTwin = processor.kind === "cpu-twin";
  return (
    <details class="more">
      <summary>{isTwin ? "CPU twin and model" : "Device, limits, model and self-test"}</summary>
      <div class="facts">
        <Facts title="Device" rows={processorRows(processor, probe)} />
        <Facts title="Model" rows={modelRows(model, source)} />
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
    case "cpu-twin":
      return [
        ["Computes on", "the CPU, one thread, no GPU"],
        ["Kernels", "their CPU twins, which add in the same order"],
        ["Self-test", "none: the twins are what kernels are tested against"],
      ];
  }
}

function deviceRows(device: DeviceReport, probe: AdapterProbe | null): Row[] {
  const { limits } = device;
  const told = Object.entries(probe?.told ?? {}).filter(([, word]) => word !== "");
  return [
    ["Adapter", device.name],
    [
      "As the browser tells it",
      told.length > 0 ? told.map(([name, word]) => `${name} ${word}`).join(", ") : "nothing",
    ],
    ["Computes on", device.software ? "the CPU, as a software GPU" : "a GPU"],
    ["Backend", [device.backend, device.driver].filter((word) => word !== "").join(", ")],
    ["Kernel family", device.family],
    ["Subgroups", device.subgroups ? `yes, of ${device.subgroup_size ?? "unknown size"}` : "no"],
    ["shader-f16", device.shader_f16 ? "yes" : "no"],
    ["Arithmetic", arithmeticWords(device.fingerprint)],
    ["Numeric fingerprint", <code key="fingerprint">{device.fingerprint.hash}</code>],
    ["Largest binding", binarySize(limits.max_storage_buffer_binding_size)],
    ["Largest buffer", binarySize(limits.max_buffer_size)],
    ["Storage buffers per stage", count(limits.max_storage_buffers_per_shader_stage)],
    ["Workgroup memory", binarySize(limits.max_compute_workgroup_storage_size)],
    ["Invocations per workgroup", count(limits.max_compute_invocations_per_workgroup)],
  ];
}

function arithmeticWords(fingerprint: Fingerprint): string {
  return [
    fingerprint.multiply_add_fused ? "multiply and add fused" : "multiply and add apart",
    fingerprint.sums_regrouped ? "sums regrouped" : "sums as written",
    fingerprint.sums_and_products_wrong > 0 ? "not always the nearest number" : "always the nearest number",
    fingerprint.subnormal_results_kept ? "subnormals kept" : "subnormals flushed",
  ].join(", ");
}

function contextWords({ context_len, max_context_len }: ModelReport): string {
  if (max_context_len >= context_len) return `${count(context_len)} tokens`;
  return `${count(max_context_len)} of the model's ${count(context_len)} tokens`;
}

/** How the vocabulary is read, with the doubts that there are. */
export function tokenizerWords({ model, rule, proven, loaded_anyway }: TokenizerReport): string {
  const doubts = [
    loaded_anyway ? "in place of a rule that is unknown: ids may be wrong" : "",
    proven ? "" : "not proven by published ids",
  ];
  return [model, rule ? `rule ${rule}` : "", ...doubts].filter((word) => word !== "").join(", ");
}

function modelRows(model: ModelReport, source: ModelSource): Row[] {
  const tensors = Object.entries(model.tensor_types).map(([type, n]) => `${n} ${type}`);
  return [
    [source.kind === "url" ? "Address" : "File", fileWords(source)],
    ["Name inside the file", model.name],
    ["Architecture", `${model.architecture}, ${model.n_blocks} blocks of ${model.embedding_dim}`],
    ["Heads", `${model.n_heads}, sharing ${model.n_kv_heads} of keys and values, ${model.head_dim} wide`],
    ["Feed-forward", count(model.feed_forward_dim)],
    ["Vocabulary", `${count(model.vocab_size)} tokens`],
    ["Context", contextWords(model)],
    ["Tensors", tensors.join(", ")],
    ["Rows per prefill step", `${count(model.chunk_rows)} at most`],
    ["Size", `${count(model.len_bytes)} bytes`],
    [hashName(source), <code key="hash">{model.sha256}</code>],
    ["Tokenizer", tokenizerWords(model.tokenizer)],
    ["Tokenizer's SHA-256", <code key="tokenizer">{model.tokenizer.sha256}</code>],
    ["Chat template", templateWords(model)],
    ["Chat template's SHA-256", <code key="template">{model.template_sha256 ?? "no chat template"}</code>],
  ];
}

function templateWords({ template_name, template_names, template_sha256 }: ModelReport): string {
  if (template_name !== null) return template_name;
  const more = template_names.length > 0 ? `; also ${template_names.join(", ")}` : "";
  return `${template_sha256 === null ? "none" : "the file's default"}${more}`;
}

/** The hash of several parts is that of their bytes, one behind the other. */
function hashName(source: ModelSource): string {
  return source.kind === "files" && source.files.length > 1 ? "SHA-256 of all parts in order" : "SHA-256";
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
  return (
    <>
      <h3>Self-test: each kernel against its CPU twin, {duration(checks.elapsed_ms)}</h3>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Kernel</th>
              <th scope="col">Error (NMSE)</th>
              <th scope="col">Bits</th>
            </tr>
          </thead>
          <tbody>
            {checks.kernels.map((kernel) => (
              <tr key={kernel.name}>
                <th scope="row">{kernel.name}</th>
                <td>{kernel.nmse === 0 ? "0" : kernel.nmse.toExponential(1)}</td>
                <td>{kernel.bit_equal ? "equal" : "within tolerance"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
