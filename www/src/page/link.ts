// A link that sets the page up as it is here: inputs and view, never results. Opening one runs and downloads nothing.
import type { Formats, Prompt, Scenario } from "../shared/engine-records";
import { hashOf, type View } from "./address";
import { type ChosenOrder, MAX_TOKENS, ORDERS } from "./form";
import { stepFrom } from "./lesson/step-number";

/** What a link tells. */
export interface LinkInputs {
  text: string;
  follow_up: string;
  scenario: Scenario["kind"];
  sent_as: Prompt["kind"];
  before: string;
  formats: Formats;
  order: ChosenOrder;
  template: string | null;
  max_tokens: number;
  /** Address of the model; null for the one that comes with the page. */
  model_url: string | null;
}

export interface ReadLink {
  inputs: Partial<LinkInputs>;
  /** Names of what was there and could not be used. */
  ignored: string[];
}

const PARAMETER = "setup";
/** A link of this much text, unpacked, is not one of this page's. */
const MOST_BYTES = 64 << 10;

type Check<T> = (value: unknown) => value is T;
const text: Check<string> = (value) => typeof value === "string";
const oneOf =
  <T extends string>(...allowed: readonly T[]): Check<T> =>
  (value): value is T =>
    allowed.some((word) => word === value);

const CHECKS: { [Name in keyof LinkInputs]: Check<LinkInputs[Name]> } = {
  text,
  follow_up: text,
  scenario: oneOf("same-prompt", "second-turn"),
  sent_as: oneOf("chat", "complete"),
  before: text,
  formats: oneOf("int8", "float", "half", "f32"),
  order: oneOf(...ORDERS),
  template: (value): value is string | null => value === null || text(value),
  max_tokens: (value): value is number =>
    Number.isInteger(value) && Number(value) >= MAX_TOKENS.least && Number(value) <= MAX_TOKENS.most,
  model_url: (value): value is string | null => value === null || text(value),
};

/** The part of the address behind its view; null where the inputs are more than a link can hold. */
export async function linkTo(view: View, inputs: LinkInputs): Promise<string | null> {
  const bytes = new TextEncoder().encode(JSON.stringify(inputs));
  if (bytes.length > MOST_BYTES) return null;
  const packed = await passed(bytes, new CompressionStream("deflate-raw"));
  return hashOf(view, new URLSearchParams({ [PARAMETER]: base64Url(packed) }));
}

/** What a link tells, as far as it can be used; null where there is nothing of the kind. */
export async function readLink(parameters: URLSearchParams): Promise<ReadLink | null> {
  const ignored = [...parameters]
    .filter(([name, value]) => name !== PARAMETER && !OF_VIEWS[name]?.(value))
    .map(([name]) => name);
  const packed = parameters.get(PARAMETER);
  if (packed === null) return ignored.length > 0 ? { inputs: {}, ignored } : null;
  const found = await unpacked(packed).catch(() => null);
  if (typeof found !== "object" || found === null || Array.isArray(found))
    return { inputs: {}, ignored: [...ignored, PARAMETER] };
  const read = inputsIn(found);
  ignored.push(...read.ignored);
  if (Object.keys(read.inputs).length + ignored.length === 0) return null;
  return { inputs: read.inputs, ignored };
}

/** What of an object from outside is an input of the form, and the names of what is not. */
export function inputsIn(found: object): ReadLink {
  const inputs: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(found)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof LinkInputs] : undefined;
    if (check?.(value)) inputs[name] = value;
    else ignored.push(name);
  }
  return { inputs: inputs as Partial<LinkInputs>, ignored };
}

/** Parameters that views read themselves, and which values they understand. */
const OF_VIEWS: Partial<Record<string, (value: string) => boolean>> = {
  step: (value) => stepFrom(new URLSearchParams({ step: value })) === Number(value),
  lock: (value) => value === "1",
};

async function unpacked(packed: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
    c.charCodeAt(0),
  );
  const json = await passed(bytes, new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
}

async function passed(bytes: Uint8Array<ArrayBuffer>, through: GenericTransformStream): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array>(through).getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      throw new RangeError(`more than ${MOST_BYTES} bytes`);
    }
    pieces.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function base64Url(bytes: Uint8Array): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
