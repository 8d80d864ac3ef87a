// Which model the next load takes: the one that comes with the page, or a person's own, read up to the end of its header.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { EngineError, Formats } from "../shared/engine-records";
import { modelUrlFrom } from "../shared/model-url";
import type { CheckCallOptions, ModelSource } from "../shared/protocol";
import type { Announcer } from "./announcer";
import type { EngineClient } from "./engine-client";
import { badAddress, failureWords } from "./failures";
import { messages } from "./language";
import type { AdapterState, BuiltInSource, ChoiceState, ModelState, Selection } from "./session-state";

interface Surroundings {
  client: EngineClient;
  announcer: Announcer;
  builtIn: BuiltInSource;
  choice: Signal<ChoiceState>;
  selection: Signal<Selection>;
  adapter: ReadonlySignal<AdapterState>;
  model: ReadonlySignal<ModelState>;
  /** Whether the engine does something. */
  isBusy: ReadonlySignal<boolean>;
  /** Another model is selected than before. */
  onSelected: () => void;
}

/** Half of what the browser says the machine has; null where it says nothing, and the engine has its own number. */
function memoryBudget(): number | null {
  const { deviceMemory } = navigator as { deviceMemory?: number };
  return deviceMemory === undefined ? null : (deviceMemory / 2) * 2 ** 30;
}

export class ChoiceSession {
  readonly isCheckingAgain = signal(false);
  readonly #surroundings: Surroundings;
  /** Formats that the selection could not be checked for. */
  #checkedInVain: Formats | null = null;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Goes back to the model that comes with the page; what is loaded stays. */
  chooseBuiltIn(): void {
    const { isBusy, choice, builtIn } = this.#surroundings;
    if (isBusy.value) return;
    choice.value = { kind: "none" };
    this.#select({ source: builtIn, checked: null, load_anyway: false });
  }

  /** Reads a person's source up to the end of its header. Where it is refused, all is as it was. */
  async choose(source: ModelSource, formats: Formats, load_anyway = false): Promise<boolean> {
    const { client, announcer, choice, isBusy } = this.#surroundings;
    if (isBusy.value) {
      announcer.event(messages.value.status.busy);
      return false;
    }
    choice.value = { kind: "checking", source };
    announcer.event(messages.value.status.readingHeader);
    try {
      const options = this.#checkOptions(formats, load_anyway);
      const checked = await client.call({ kind: "check-model", source, ...options });
      choice.value = { kind: "none" };
      this.#select({ source, checked, load_anyway });
      const { status } = messages.value;
      announcer.event(checked.check.fit.fits ? status.fits : status.fitsNot);
      return true;
    } catch (reason) {
      this.#refuse(source, reason as EngineError);
      return false;
    }
  }

  /** Whether the selection fits depends on the formats; its header is not read again for that. */
  async checkAgain(formats: Formats): Promise<void> {
    const { client, selection, isBusy } = this.#surroundings;
    const { source, checked, load_anyway } = selection.value;
    const isUpToDate = checked === null || checked.formats === formats || this.isLoaded();
    if (isUpToDate || isBusy.value || this.#checkedInVain === formats) return;
    this.isCheckingAgain.value = true;
    try {
      const options = this.#checkOptions(formats, load_anyway);
      const again = await client.call({ kind: "check-again", ...options });
      selection.value = { source, checked: { ...checked, ...again }, load_anyway };
    } catch {
      // The engine was started anew and has not read this header; the card tells which formats it is for.
      this.#checkedInVain = formats;
    } finally {
      this.isCheckingAgain.value = false;
    }
  }

  /** The address that was typed, or null: it is then refused in words. */
  addressFrom(typed: string): string | null {
    const url = modelUrlFrom(typed, location.href);
    if (url === null) this.#refuse({ kind: "url", url: typed }, badAddress(typed));
    return url;
  }

  dismissRefusal(): void {
    this.#surroundings.choice.value = { kind: "none" };
  }

  /** Whether the selection is what is loaded. */
  isLoaded(): boolean {
    const model = this.#surroundings.model.value;
    return model.kind === "ready" && model.selection === this.#surroundings.selection.value;
  }

  #checkOptions(formats: Formats, load_anyway: boolean): CheckCallOptions {
    const on = this.#surroundings.adapter.value.kind === "found" ? "gpu" : "cpu-twin";
    return { on, memory_bytes: memoryBudget(), formats, load_anyway };
  }

  #refuse(source: ModelSource, error: EngineError): void {
    const { choice, announcer } = this.#surroundings;
    // Who stopped it knows.
    const isStopped = error.code === "download-cancelled";
    choice.value = isStopped ? { kind: "none" } : { kind: "refused", source, error };
    announcer.failure(failureWords(error, source.kind).title);
  }

  #select(selection: Selection): void {
    this.#checkedInVain = null;
    this.#surroundings.selection.value = selection;
    this.#surroundings.onSelected();
  }
}
