// Every failure: what it is called, what still works, and the next step.
// What happened and what to do come from where it happened (the engine or the worker).
import type { EngineError } from "../shared/engine-records";
import type { ModelSource } from "../shared/protocol";
import { shortened } from "./format";
import { type Messages, messages } from "./language";

/** What the button under a failure does. */
export type NextStep =
  | "check-gpu"
  | "load-model"
  | "restart-and-load"
  | "run-again"
  | "choose-another"
  | "check-again"
  | "load-anyway";

export interface FailureWords {
  title: string;
  still_works: string;
  next: NextStep;
  next_label: string;
}

type Texts = Messages["failures"];

/** Of the model that comes with the page, and of what fails in any case. */
const STEPS: Record<keyof Texts["ofAny"], NextStep> = {
  "no-webgpu": "check-gpu",
  "insecure-origin": "check-gpu",
  "no-adapter": "check-gpu",
  "device-refused": "restart-and-load",
  "device-lost": "restart-and-load",
  "device-gone": "restart-and-load",
  "engine-crashed": "restart-and-load",
  "out-of-memory": "restart-and-load",
  "shader-failed": "restart-and-load",
  "self-test-failed": "restart-and-load",
  "hash-mismatch": "load-model",
  "bad-file": "load-model",
  "download-cut": "load-model",
  "download-cancelled": "load-model",
  "download-http": "load-model",
  "download-network": "load-model",
  "bad-request": "run-again",
  "run-failed": "run-again",
  "context-full": "run-again",
  unknown: "restart-and-load",
};

/** Of a person's own file or address, what is otherwise. */
const OWN_STEPS: Record<keyof Texts["ofOwn"], NextStep> = {
  "bad-file": "choose-another",
  "unknown-pre-tokenizer": "load-anyway",
  "file-changed": "choose-another",
  "bad-address": "choose-another",
};

function isIn<T extends object>(code: string, table: T): code is keyof T & string {
  return Object.hasOwn(table, code);
}

export function failureWords(error: EngineError, source: ModelSource["kind"] = "built-in"): FailureWords {
  const { ofAny, ofOwn } = messages.value.failures;
  const { code } = error;
  if (source !== "built-in" && isIn(code, OWN_STEPS)) return { ...ofOwn[code], next: OWN_STEPS[code] };
  const known = isIn(code, STEPS) ? code : "unknown";
  return { ...ofAny[known], next: STEPS[known] };
}

/** The words for a source whose header could not be read: nothing is loaded yet, so nothing goes on. */
export function choiceWords(error: EngineError, source: ModelSource["kind"]): FailureWords {
  const words = failureWords(error, source);
  const isOwn = words.next === "choose-another" || words.next === "load-anyway";
  const { tryAgain } = messages.value.failures;
  return isOwn ? words : { ...words, next: "check-again", next_label: tryAgain };
}

/** An error that the page itself tells, in the language of that moment. */
interface PageError extends EngineError {
  lang: string;
}

/** What is wrong with an address before anybody is asked. */
export function badAddress(typed: string): PageError {
  const { failures, language } = messages.value;
  return {
    code: "bad-address",
    message: hasCredentials(typed)
      ? failures.addressWithPassword
      : failures.badAddress(shortened(typed.trim())),
    what_to_do: failures.typeAddress,
    lang: language,
  };
}

/** A name and password in it are not to be repeated. */
function hasCredentials(typed: string): boolean {
  const url = URL.parse(typed.trim());
  return url !== null && (url.username !== "" || url.password !== "");
}

/** The device was lost a second time: no loop is made of it. */
export function deviceGone(second: EngineError): EngineError {
  return { code: "device-gone", message: second.message, what_to_do: messages.value.failures.restartBrowser };
}

/** What happened or what to do, in the page's language; where that is not the engine's, its own words stay as a detail. */
export interface Told {
  text: string;
  /** Where that is not the page's: the language of the moment in which the page told it. */
  lang: string | undefined;
  detail: string | null;
}

/** An error in the page's language. The engine and the worker speak English, which says more than the words for a code. */
export function toldOf(error: EngineError | PageError): { happened: Told; to_do: Told } {
  const { failures, language } = messages.value;
  const { inGeneral } = failures;
  const spoken = "lang" in error ? error.lang : "en";
  const words = spoken === language ? undefined : (inGeneral[error.code] ?? inGeneral.unknown);
  const told = (own: string, general: string | undefined): Told => {
    const text = asSentence(own);
    if (general === undefined) return { text, lang: spoken === language ? undefined : spoken, detail: null };
    return { text: general, lang: undefined, detail: general === text ? null : text };
  };
  return {
    happened: told(error.message, words?.happened),
    to_do: told(error.what_to_do, words?.to_do),
  };
}

/** With a capital and a full stop; a name that it begins with stays as it is. */
export function asSentence(message: string): string {
  const capital = message.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

/** Not a failure, but what the person wanted. */
export function isOwnWish(error: EngineError): boolean {
  return error.code === "download-cancelled";
}

/** The status line after a comparison that failed. */
export function brokenOffStatus(error: EngineError): string {
  const { title } = failureWords(error);
  const brokeOff = messages.value.failures.ofAny["run-failed"].title;
  return title === brokeOff ? brokeOff : `${brokeOff}. ${title}`;
}

/** After these the engine in the worker cannot be trusted to go on. */
export function needsFreshEngine(error: EngineError): boolean {
  return failureWords(error).next === "restart-and-load";
}
