// The prompt: shipped ones, a box, and the scenario.
import { Choice } from "./choice";
import type { Form } from "./form";
import { messages } from "./language";
import { REPLY_TOKENS, SHIPPED_PROMPTS } from "./prompts";

function textLabel(form: Form): string {
  const { prompt } = messages.value;
  if (form.sentAs.value === "complete") return prompt.text;
  return form.scenario.value === "second-turn" ? prompt.firstMessage : prompt.message;
}

export function PromptPanel({ form }: { form: Form }) {
  const isSecondTurn = form.scenario.value === "second-turn";
  const { prompt: words, prompts: library } = messages.value;
  const chosen = SHIPPED_PROMPTS.find(
    ({ user, follow_up }) => form.text.value === user && isSecondTurn === (follow_up !== undefined),
  );
  return (
    <section class="panel" aria-labelledby="prompt-heading">
      <h2 id="prompt-heading">{words.heading}</h2>
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
      <p class="hint">{words.howChosen}</p>
      {!form.hasTemplate.value && <p class="hint">{words.noTemplate}</p>}
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
          <span class="label">{words.secondMessage}</span>
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
        legend={words.scenario}
        name="scenario"
        value={form.scenario.value}
        onChoose={(kind) => form.chooseScenario(kind)}
        options={[
          { value: "same-prompt", label: words.samePrompt },
          { value: "second-turn", label: words.secondTurn },
        ]}
        hint={isSecondTurn ? words.secondTurnHint(REPLY_TOKENS) : words.samePromptHint}
      />
    </section>
  );
}
