// The prompt: shipped ones, a box, and the scenario.
import { Choice } from "./choice";
import type { Form } from "./form";
import { messages } from "./language";
import { REPLY_TOKENS, SHIPPED_PROMPTS } from "./prompts";

function textLabel(form: Form): string {
  if (form.sentAs.value === "complete") return "Text";
  return form.scenario.value === "second-turn" ? "First message" : "Message";
}

export function PromptPanel({ form }: { form: Form }) {
  const isSecondTurn = form.scenario.value === "second-turn";
  const library = messages.value.prompts;
  const chosen = SHIPPED_PROMPTS.find(
    ({ user, follow_up }) => form.text.value === user && isSecondTurn === (follow_up !== undefined),
  );
  return (
    <section class="panel" aria-labelledby="prompt-heading">
      <h2 id="prompt-heading">Prompt</h2>
      <div class="shipped">
        {SHIPPED_PROMPTS.map((prompt) => (
          <button
            key={prompt.name}
            type="button"
            class="chip"
            aria-pressed={prompt === chosen}
            onClick={() => form.take(prompt)}
          >
            {library.labels[prompt.name]}
          </button>
        ))}
      </div>
      {chosen && <p class="hint">{library.shows[chosen.name]}</p>}
      <p class="hint">
        These were written by hand and not screened by outcome: none was chosen or dropped because it forks.
      </p>
      {!form.hasTemplate.value && (
        <p class="hint">This model's file brings no chat template: the model continues your text.</p>
      )}
      <label class="field">
        <span class="label">{textLabel(form)}</span>
        <textarea
          rows={3}
          value={form.text.value}
          onInput={(event) => {
            form.text.value = event.currentTarget.value;
          }}
        />
      </label>
      {isSecondTurn && (
        <label class="field">
          <span class="label">Second message</span>
          <textarea
            rows={2}
            value={form.followUp.value}
            onInput={(event) => {
              form.followUp.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      <Choice
        legend="Scenario"
        name="scenario"
        value={form.scenario.value}
        onChoose={(kind) => form.chooseScenario(kind)}
        options={[
          { value: "same-prompt", label: "Same prompt" },
          { value: "second-turn", label: "Second turn" },
        ]}
        hint={
          isSecondTurn
            ? `The model answers the first message (${REPLY_TOKENS} tokens); then cold and warm answer the second one. Every chat meets this.`
            : "Warm answers the very prompt that the cache already holds."
        }
      />
    </section>
  );
}
