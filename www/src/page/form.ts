// What a person has chosen: prompt, scenario, formats, order, length.
import { computed, signal } from "@preact/signals";
import type { Formats, Order, Prompt, Scenario } from "../shared/engine-records";
import type { LinkInputs } from "./link";
import { REPLY_TOKENS, SHIPPED_PROMPTS, type ShippedPrompt } from "./prompts";
import type { ComparisonInputs } from "./session-state";

/** The orders that a person can choose; the engine has two more, which force one routine on every shape. */
export const ORDERS = ["by-shape", "invariant"] as const satisfies readonly Order[];
export type ChosenOrder = (typeof ORDERS)[number];
export const MAX_TOKENS = { least: 1, most: 512 } as const;
const USUAL_TOKENS = { gpu: 64, software_gpu: 32, cpu_twin: 16 } as const;

export class Form {
  readonly text = signal("");
  readonly followUp = signal("");
  readonly scenario = signal<Scenario["kind"]>("same-prompt");
  readonly sentAs = signal<Prompt["kind"]>("chat");
  /** One prompt a line, run before the warm run. */
  readonly before = signal("");
  readonly formats = signal<Formats>("int8");
  readonly order = signal<ChosenOrder>("by-shape");
  /** Name of a chat template of the loaded file; null for its default one. */
  readonly template = signal<string | null>(null);
  /** Whether the loaded file brings a chat template. */
  readonly fileHasTemplate = signal(true);
  /** Whether there is a template for chats: the file's, or the one that was chosen. */
  readonly hasTemplate = computed(() => this.fileHasTemplate.value || this.template.value !== null);
  readonly maxTokens = signal<number>(USUAL_TOKENS.gpu);
  /** Whether a person, or a link, has said how long the answers are. */
  readonly isLengthChosen = signal(false);

  readonly isComplete = computed(
    () =>
      this.text.value.trim() !== "" &&
      (this.scenario.value === "same-prompt" || this.followUp.value.trim() !== ""),
  );

  constructor() {
    const [first] = SHIPPED_PROMPTS;
    if (first) this.take(first);
  }

  take(prompt: ShippedPrompt): void {
    this.text.value = prompt.user;
    if (prompt.follow_up === undefined) {
      this.scenario.value = "same-prompt";
    } else {
      this.followUp.value = prompt.follow_up;
      this.chooseScenario("second-turn");
    }
  }

  /** A second turn only exists in a chat. */
  chooseScenario(kind: Scenario["kind"]): void {
    this.scenario.value = kind;
    if (kind === "second-turn") this.sentAs.value = "chat";
  }

  /** Keeps the length in its bounds; what is not a number changes nothing. */
  chooseMaxTokens(tokens: number): void {
    if (Number.isNaN(tokens)) return;
    this.isLengthChosen.value = true;
    this.maxTokens.value = Math.min(Math.max(Math.round(tokens), MAX_TOKENS.least), MAX_TOKENS.most);
  }

  /** Without a chat template there are no messages and no turns: the model continues a text. */
  suitTemplate(fileHasTemplate: boolean): void {
    this.fileHasTemplate.value = fileHasTemplate;
    this.#suitPrompt();
  }

  /** A template of that name, or the file's default one. */
  chooseTemplate(name: string | null): void {
    const had = this.hasTemplate.value;
    this.template.value = name;
    if (had !== this.hasTemplate.value) this.#suitPrompt();
  }

  #suitPrompt(): void {
    this.sentAs.value = this.hasTemplate.value ? "chat" : "complete";
    if (!this.hasTemplate.value) this.scenario.value = "same-prompt";
  }

  /** A file that lacks the chosen template gets its default one. */
  offerTemplates(names: readonly string[]): void {
    if (this.template.value !== null && !names.includes(this.template.value)) this.chooseTemplate(null);
  }

  /** What is slow starts shorter, unless a length was chosen. */
  suit(processor: "gpu" | "software_gpu" | "cpu_twin"): void {
    if (!this.isLengthChosen.peek()) this.maxTokens.value = USUAL_TOKENS[processor];
  }

  /** What a link says of the inputs. */
  linkInputs(): Omit<LinkInputs, "model_url"> {
    return {
      text: this.text.value,
      follow_up: this.followUp.value,
      scenario: this.scenario.value,
      sent_as: this.sentAs.value,
      before: this.before.value,
      formats: this.formats.value,
      order: this.order.value,
      template: this.template.value,
      max_tokens: this.maxTokens.value,
    };
  }

  /** Takes over what a link says; what it does not say stays. A template counts once a file that has it is loaded. */
  fill(inputs: Partial<LinkInputs>): void {
    this.text.value = inputs.text ?? this.text.value;
    this.followUp.value = inputs.follow_up ?? this.followUp.value;
    this.sentAs.value = inputs.sent_as ?? this.sentAs.value;
    if (inputs.scenario) this.chooseScenario(inputs.scenario);
    this.before.value = inputs.before ?? this.before.value;
    this.formats.value = inputs.formats ?? this.formats.value;
    this.order.value = inputs.order ?? this.order.value;
    if (inputs.template !== undefined) this.template.value = inputs.template;
    if (inputs.max_tokens !== undefined) this.chooseMaxTokens(inputs.max_tokens);
  }

  inputs(): ComparisonInputs {
    const text = this.text.value;
    return {
      request: {
        prompt: this.sentAs.value === "chat" ? { kind: "chat", user: text } : { kind: "complete", text },
        scenario:
          this.scenario.value === "second-turn"
            ? { kind: "second-turn", follow_up: this.followUp.value, reply_tokens: REPLY_TOKENS }
            : { kind: "same-prompt" },
        before: this.before.value.split("\n").filter((line) => line.trim() !== ""),
        max_tokens: this.maxTokens.value,
      },
      formats: this.formats.value,
      order: this.order.value,
      template: this.template.value,
    };
  }
}
