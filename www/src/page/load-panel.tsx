// From a bare page to a model that can run: GPU, download, verify, compile and self-test, ready.
import type {
  AdapterProbe,
  DeviceReport,
  Fingerprint,
  LoadedModel,
  LoadStage,
  ModelReport,
  ModelSource,
  TokenizerReport,
} from "../shared/protocol";
import { binarySize, count, downloadLine, duration, megabytes } from "./format";
import type { AdapterState, ModelState, Session } from "./session";

type StageState = "done" | "active" | "failed" | "open";

interface Stage {
  label: string;
  state: StageState;
}

export function LoadPanel({ session, onLoad }: { session: Session; onLoad: () => void }) {
  const adapter = session.adapter.value;
  const model = session.model.value;
  return (
    <section class="load" aria-labelledby="load-heading">
      <h2 id="load-heading" class="visually-hidden">
        Device and model
      </h2>
      <ol class="stages">
        {stagesOf(adapter, model).map((stage) => (
          <li key={stage.label} data-state={stage.state}>
            <StageMark state={stage.state} />
            <span>{stage.label}</span>
            <span class="visually-hidden">{STAGE_WORDS[stage.state]}</span>
          </li>
        ))}
      </ol>
      <LoadLine session={session} onLoad={onLoad} />
      {model.kind === "ready" && (
        <LoadedDetails
          loaded={model.loaded}
          source={session.source}
          probe={adapter.kind === "found" ? adapter.probe : null}
        />
      )}
    </section>
  );
}

const STAGE_WORDS: Record<StageState, string> = {
  done: "done",
  active: "in progress",
  failed: "failed",
  open: "not started",
};

function stagesOf(adapter: AdapterState, model: ModelState): Stage[] {
  const gpu: StageState =
    adapter.kind === "checking" ? "active" : adapter.kind === "failed" ? "failed" : engineState(model);
  const [download, verify] = loadStates(model);
  return [
    { label: "GPU", state: gpu },
    { label: "Download", state: download },
    { label: "Verify", state: verify === "failed" && !isHashFailure(model) ? "done" : verify },
    { label: "Compile and self-test", state: verify === "failed" && isHashFailure(model) ? "open" : verify },
    { label: "Ready", state: model.kind === "ready" ? (model.is_configuring ? "active" : "done") : "open" },
  ];
}

function engineState(model: ModelState): StageState {
  if (model.kind === "failed" && model.stage === "engine") return "failed";
  if (model.kind === "loading" && model.stage === "engine") return "active";
  return "done";
}

function loadStates(model: ModelState): [StageState, StageState] {
  if (model.kind === "ready") return ["done", model.is_configuring ? "active" : "done"];
  if (model.kind === "absent") return ["open", "open"];
  const now: StageState = model.kind === "loading" ? "active" : "failed";
  const byStage: Record<LoadStage, [StageState, StageState]> = {
    engine: ["open", "open"],
    download: [now, "open"],
    verify: ["done", now],
  };
  return byStage[model.stage];
}

function isHashFailure(model: ModelState): boolean {
  return model.kind === "failed" && (model.error.code === "hash-mismatch" || model.error.code === "bad-file");
}

function StageMark({ state }: { state: StageState }) {
  const path: Record<StageState, string> = {
    done: "M3.5 8.5 6.5 11.5 12.5 4.5",
    active: "M8 3a5 5 0 0 1 5 5",
    failed: "M4 4 12 12 M12 4 4 12",
    open: "",
  };
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={path[state]} />
    </svg>
  );
}

function LoadLine({ session, onLoad }: { session: Session; onLoad: () => void }) {
  const adapter = session.adapter.value;
  const model = session.model.value;
  if (adapter.kind === "checking") return <p>Asking the browser for its GPU …</p>;
  if (adapter.kind === "failed") return null;

  switch (model.kind) {
    case "absent":
      return (
        <div class="load-line">
          <p>
            <AdapterWords probe={adapter.probe} />
          </p>
          <button type="button" class="quiet" onClick={onLoad}>
            Load the model only · {megabytes(session.source.len_bytes)}
          </button>
        </div>
      );
    case "loading":
      return <LoadProgress model={model} source={session.source} onStop={() => session.stop()} />;
    case "ready":
      return (
        <p>
          {session.source.title} on <strong>{model.loaded.device.name}</strong>
          {model.loaded.device.software && <SoftwareNote />}
          {model.is_configuring && <span> · compiling the kernels for the new settings …</span>}
        </p>
      );
    case "failed":
      return null;
  }
}

function AdapterWords({ probe }: { probe: AdapterProbe }) {
  return (
    <>
      Found <strong>{probe.name}</strong>
      {probe.software && <SoftwareNote />}
    </>
  );
}

function SoftwareNote() {
  return <span class="note"> · software GPU: slow, results valid for this device only</span>;
}

interface LoadProgressProps {
  model: Extract<ModelState, { kind: "loading" }>;
  source: ModelSource;
  onStop: () => void;
}

function LoadProgress({ model, source, onStop }: LoadProgressProps) {
  if (model.stage !== "download") {
    return (
      <div class="load-line">
        <p>
          {model.stage === "engine"
            ? "Fetching the engine and opening the GPU …"
            : "Checking the hash, compiling the kernels, testing each against its CPU twin …"}
        </p>
        <progress aria-label="Model preparation" />
      </div>
    );
  }
  const elapsedMs = performance.now() - model.started_at;
  return (
    <div class="load-line">
      <p class="numbers">
        {downloadLine(model.bytes_received, source.len_bytes, elapsedMs, model.bytes_before)}
      </p>
      <button type="button" class="quiet" onClick={onStop}>
        Cancel
      </button>
      <progress aria-label="Model download" value={model.bytes_received} max={source.len_bytes} />
    </div>
  );
}

interface LoadedDetailsProps {
  loaded: LoadedModel;
  source: ModelSource;
  probe: AdapterProbe | null;
}

function LoadedDetails({ loaded, source, probe }: LoadedDetailsProps) {
  return (
    <details class="more">
      <summary>Device, limits, model and self-test</summary>
      <div class="facts">
        <Facts title="Device" rows={deviceRows(loaded.device, probe)} />
        <Facts title="Model" rows={modelRows(loaded.model, source)} />
      </div>
      <SelfTest checks={loaded.model.self_test} />
    </details>
  );
}

type Row = [string, preact.ComponentChildren];

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

function tokenizerWords({ model, rule, proven, loaded_anyway }: TokenizerReport): string {
  const doubts = [
    loaded_anyway ? "in place of a rule that is unknown: ids may be wrong" : "",
    proven ? "" : "not proven by published ids",
  ];
  return [model, rule ? `rule ${rule}` : "", ...doubts].filter((word) => word !== "").join(", ");
}

function modelRows(model: ModelReport, source: ModelSource): Row[] {
  const tensors = Object.entries(model.tensor_types).map(([type, n]) => `${n} ${type}`);
  return [
    ["File", source.file_name],
    ["Name inside the file", model.name],
    ["Architecture", `${model.architecture}, ${model.n_blocks} blocks of ${model.embedding_dim}`],
    ["Heads", `${model.n_heads}, sharing ${model.n_kv_heads} of keys and values, ${model.head_dim} wide`],
    ["Feed-forward", count(model.feed_forward_dim)],
    ["Vocabulary", `${count(model.vocab_size)} tokens`],
    ["Context", contextWords(model)],
    ["Tensors", tensors.join(", ")],
    ["Rows per prefill step", `${count(model.chunk_rows)} at most`],
    ["Size", `${count(model.len_bytes)} bytes`],
    ["SHA-256", <code key="hash">{model.sha256}</code>],
    ["Tokenizer", tokenizerWords(model.tokenizer)],
    ["Tokenizer's SHA-256", <code key="tokenizer">{model.tokenizer.sha256}</code>],
    ["Chat template's SHA-256", <code key="template">{model.template_sha256 ?? "no chat template"}</code>],
  ];
}

function Facts({ title, rows }: { title: string; rows: Row[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
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
