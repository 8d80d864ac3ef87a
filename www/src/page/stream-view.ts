// Writes token streams straight to the DOM, outside the component tree: one shared trunk, then a cold
// and a warm arm. Until the warm side confirms a token, cold's text stands as a faint tail of the trunk.
import { visibleToken } from "./format";
import { agreesAgain, type Split, type StreamToken, splitOf } from "./streams";

export interface StreamElements {
  trunk: HTMLElement;
  left: HTMLElement;
  right: HTMLElement;
}

export class StreamView {
  readonly #elements: StreamElements;
  #left: HTMLElement[] = [];
  #right: HTMLElement[] = [];
  #confirmed = 0;
  #fork: number | null = null;
  #pointed: HTMLElement[] = [];

  constructor(elements: StreamElements) {
    this.#elements = elements;
  }

  clear(): void {
    for (const element of Object.values(this.#elements)) element.replaceChildren();
    this.#left = [];
    this.#right = [];
    this.#pointed = [];
    this.#confirmed = 0;
    this.#fork = null;
  }

  /** Brings the text up to date; both lists only ever grow between two calls of clear. */
  update(left: readonly StreamToken[], right: readonly StreamToken[]): Split {
    const split = splitOf(left, right);
    for (const token of left.slice(this.#left.length)) {
      const home = this.#fork === null ? this.#elements.trunk : this.#elements.left;
      const span = tokenSpan(token);
      span.classList.toggle("pending", this.#fork === null);
      this.#left.push(span);
      home.append(span);
    }
    for (; this.#confirmed < split.n_shared; this.#confirmed += 1) {
      this.#left[this.#confirmed]?.classList.remove("pending");
    }
    if (split.fork !== null) {
      if (this.#fork === null) this.#openArms(split.fork, left[split.fork]);
      this.#growRightArm(split.fork, left, right);
    }
    return split;
  }

  /** Marks one token in both answers; null for none. */
  point(index: number | null): void {
    for (const span of this.#pointed) span.classList.remove("pointed");
    const right = index === null || this.#fork === null ? undefined : this.#right[index - this.#fork];
    const left = index === null ? undefined : this.#left[index];
    this.#pointed = [left, right].filter((span) => span !== undefined);
    for (const span of this.#pointed) span.classList.add("pointed");
  }

  #openArms(fork: number, token: StreamToken | undefined): void {
    this.#fork = fork;
    const tail = this.#left.slice(fork);
    for (const span of tail) span.classList.remove("pending");
    this.#elements.left.append(...tail);
    if (token) boxFork(this.#left[fork], fork, token);
  }

  #growRightArm(fork: number, left: readonly StreamToken[], right: readonly StreamToken[]): void {
    for (let index = fork + this.#right.length; index < right.length; index += 1) {
      const token = right[index];
      if (!token) return;
      const span = tokenSpan(token);
      this.#right.push(span);
      this.#elements.right.append(span);
      if (index === fork) boxFork(span, fork, token);
      if (agreesAgain(left, right, fork, index)) {
        underline(span);
        underline(this.#left[index]);
      }
    }
  }
}

function tokenSpan(token: StreamToken): HTMLElement {
  const span = document.createElement("span");
  span.className = "token";
  span.textContent = token.piece;
  return span;
}

/** Underlines a token that both arms have at the same position again, without the space in front of it. */
function underline(span: HTMLElement | undefined): void {
  const text = span?.textContent ?? "";
  const bare = text.trimStart();
  if (!span || bare === "") return;
  const word = document.createElement("span");
  word.className = "again";
  word.textContent = bare;
  span.replaceChildren(text.slice(0, text.length - bare.length), word);
}

/** Marks the first different token by a box and its number, never by colour alone. */
function boxFork(span: HTMLElement | undefined, fork: number, token: StreamToken): void {
  if (!span) return;
  const number = document.createElement("span");
  number.className = "fork-number";
  number.textContent = `⟨${fork + 1}⟩`;
  const bare = token.text.trim();
  span.className = "token fork-token";
  span.replaceChildren(number, " ", bare === "" ? visibleToken(token.text) : bare);
  if (/\s$/.test(token.text)) span.after(" ");
}
