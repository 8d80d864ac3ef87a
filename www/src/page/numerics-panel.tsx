// The two axes of the comparison, formats and order, and its length.
import { useState } from "preact/hooks";
import type { Formats, Prompt } from "../shared/engine-records";
import { Choice } from "./choice";
import { type Form, MAX_TOKENS, ORDERS } from "./form";
import { messages } from "./language";
import type { TemplateNames } from "./session-state";
import { TemplateField } from "./template-field";

const FORMATS: readonly Formats[] = ["int8", "float", "half", "f32"];
const SENT_AS: readonly Prompt["kind"][] = ["chat", "complete"];

export function NumericsPanel({ form, templates }: { form: Form; templates: TemplateNames }) {
  const { numerics } = messages.value;
  /** What stands in the field while it is being written, which no drawing of the page may take back. */
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <section class="panel" aria-labelledby="numerics-heading">
      <h2 id="numerics-heading">{numerics.heading}</h2>
      <Choice
        legend={numerics.order}
        name="order"
        options={ORDERS.map((value) => ({ value, label: numerics.orders[value] }))}
        value={form.order.value}
        onChoose={(order) => {
          form.order.value = order;
        }}
        hint={numerics.orderHints[form.order.value]}
      />
      <Choice
        legend={numerics.formats}
        name="formats"
        options={FORMATS.map((value) => ({ value, label: numerics.formatNames[value] }))}
        value={form.formats.value}
        onChoose={(formats) => {
          form.formats.value = formats;
        }}
        hint={numerics.formatHints[form.formats.value]}
      />
      <label class="field inline">
        <span class="label">{numerics.maxTokens}</span>
        <input
          type="number"
          min={MAX_TOKENS.least}
          max={MAX_TOKENS.most}
          value={typed ?? form.maxTokens.value}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            form.chooseMaxTokens(event.currentTarget.valueAsNumber);
          }}
          onChange={(event) => {
            form.chooseMaxTokens(event.currentTarget.valueAsNumber);
            event.currentTarget.value = String(form.maxTokens.value);
            setTyped(null);
          }}
        />
      </label>
      <details class="more">
        <summary>{numerics.more}</summary>
        {form.scenario.value === "same-prompt" && (
          <Choice
            legend={numerics.sentAs}
            name="sent-as"
            options={SENT_AS.map((value) => ({ value, label: numerics.sentAsNames[value] }))}
            value={form.sentAs.value}
            onChoose={(kind) => {
              form.sentAs.value = kind;
            }}
          />
        )}
        <TemplateField form={form} templates={templates} />
        <label class="field">
          <span class="label">{numerics.before}</span>
          <textarea
            rows={2}
            value={form.before.value}
            onInput={(event) => {
              form.before.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="hint">{numerics.beforeHint}</p>
      </details>
    </section>
  );
}
