// The two axes of the comparison, formats and order, and its length.
import type { Formats, Order, Prompt } from "../shared/engine-records";
import { Choice } from "./choice";
import { type Form, MAX_TOKENS } from "./form";

const FORMATS: readonly { value: Formats; label: string; hint: string }[] = [
  {
    value: "int8",
    label: "int8",
    hint: "8-bit activations, f16 cache: the usual choice for quantised weights, and the one in which forks are common.",
  },
  {
    value: "float",
    label: "float",
    hint: "f32 activations and sums, f16 cache: finer, so drift is smaller and forks are rarer.",
  },
  {
    value: "half",
    label: "half",
    hint: "f16 activations, sums and cache: as engines with half precision compute. Its sums are emulated here, which is slow.",
  },
  {
    value: "f32",
    label: "f32",
    hint: "f32 activations, sums and cache: the finest this page offers. The order still shows in the last bits.",
  },
];

const ORDERS: readonly { value: Order; label: string; hint: string }[] = [
  {
    value: "by-shape",
    label: "By shape",
    hint: "Few rows use one kernel, many rows another, each adding in its own order. What fast engines do.",
  },
  {
    value: "invariant",
    label: "Invariant",
    hint: "One order of addition for every shape. Cold and warm must then agree bit for bit; it costs some speed.",
  },
];

const SENT_AS: readonly { value: Prompt["kind"]; label: string }[] = [
  { value: "chat", label: "Chat message" },
  { value: "complete", label: "Text to continue" },
];

export function NumericsPanel({ form, templates }: { form: Form; templates: readonly string[] }) {
  return (
    <section class="panel" aria-labelledby="numerics-heading">
      <h2 id="numerics-heading">Numerics</h2>
      <Choice
        legend="Order of addition"
        name="order"
        options={ORDERS}
        value={form.order.value}
        onChoose={(order) => {
          form.order.value = order;
        }}
        hint={ORDERS.find((order) => order.value === form.order.value)?.hint ?? ""}
      />
      <Choice
        legend="Formats"
        name="formats"
        options={FORMATS}
        value={form.formats.value}
        onChoose={(formats) => {
          form.formats.value = formats;
        }}
        hint={FORMATS.find((formats) => formats.value === form.formats.value)?.hint ?? ""}
      />
      <label class="field inline">
        <span class="label">Tokens per run, at most</span>
        <input
          type="number"
          min={MAX_TOKENS.least}
          max={MAX_TOKENS.most}
          value={form.maxTokens.value}
          onChange={(event) => {
            form.chooseMaxTokens(event.currentTarget.valueAsNumber);
            event.currentTarget.value = String(form.maxTokens.value);
          }}
        />
      </label>
      <details class="more">
        <summary>More settings</summary>
        {form.scenario.value === "same-prompt" && (
          <Choice
            legend="Prompt is sent as"
            name="sent-as"
            options={SENT_AS}
            value={form.sentAs.value}
            onChoose={(kind) => {
              form.sentAs.value = kind;
            }}
          />
        )}
        {form.sentAs.value === "chat" && templates.length > 0 && (
          <TemplateField form={form} templates={templates} />
        )}
        <label class="field">
          <span class="label">Run these before the warm run, one a line</span>
          <textarea
            rows={2}
            value={form.before.value}
            onInput={(event) => {
              form.before.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="hint">They share the cache with the warm run, as other people's requests do on a server.</p>
      </details>
    </section>
  );
}

/** Only for a file that brings several templates. */
function TemplateField({ form, templates }: { form: Form; templates: readonly string[] }) {
  return (
    <label class="field">
      <span class="label">Chat template</span>
      <select
        value={form.template.value ?? ""}
        onChange={(event) => {
          form.template.value = event.currentTarget.value || null;
        }}
      >
        <option value="">The file's default</option>
        {templates.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
