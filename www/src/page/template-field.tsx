// Which chat template puts messages in order: the file's own ones, and layouts that are known, for a file that brings none or a broken one.
import type { Form } from "./form";
import { messages } from "./language";
import type { TemplateNames } from "./session-state";

interface TemplateFieldProps {
  form: Form;
  templates: TemplateNames;
}

export function TemplateField({ form, templates }: TemplateFieldProps) {
  const { numerics } = messages.value;
  const { own, known } = templates;
  const fileHasOne = form.fileHasTemplate.value;
  if (own.length + known.length === 0 || (fileHasOne && form.sentAs.value !== "chat")) return null;
  return (
    <label class="field">
      <span class="label">{numerics.template}</span>
      <select
        value={form.template.value ?? ""}
        onChange={(event) => form.chooseTemplate(event.currentTarget.value || null)}
      >
        <option value="">{fileHasOne ? numerics.defaultTemplate : numerics.noTemplate}</option>
        <Options names={own} />
        {known.length > 0 && (
          <optgroup label={numerics.knownTemplates}>
            <Options names={known} />
          </optgroup>
        )}
      </select>
    </label>
  );
}

function Options({ names }: { names: readonly string[] }) {
  return names.map((name) => (
    <option key={name} value={name}>
      {name}
    </option>
  ));
}
