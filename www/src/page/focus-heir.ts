// Where the focus goes when the button that had it goes away, or cannot be pressed any more: to the nearest element that says it is an
// heir (data-heir). Without that it would fall to the page's beginning.

/** Follows the focus inside `root` from now on. */
export function followFocus(root: HTMLElement): void {
  let holder: HTMLElement | null = null;
  let isByKeyboard = false;
  /** The holder's ancestors, from the inside out: some of them outlive it. */
  let around: HTMLElement[] = [];
  root.addEventListener("focusin", ({ target }) => {
    holder = target instanceof HTMLButtonElement ? target : null;
    isByKeyboard = holder?.matches(":focus-visible") ?? false;
    around = holder ? ancestors(holder, root) : [];
  });
  // A click anywhere is a person's own choice of the focus.
  addEventListener("pointerdown", () => {
    holder = null;
  });
  new MutationObserver(() => {
    if (holder === null || canBePressed(holder)) return;
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement !== holder) return;
    // What has the focus next is told by its own event.
    heirAmong(around)?.focus({ preventScroll: !isByKeyboard });
  }).observe(root, { childList: true, subtree: true, attributeFilter: ["disabled", "hidden"] });
}

function ancestors(element: HTMLElement, root: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at: HTMLElement | null = element.parentElement; at && at !== root; at = at.parentElement)
    found.push(at);
  return [...found, root];
}

function canBePressed(element: HTMLElement): boolean {
  return element.isConnected && element.offsetParent !== null && !element.matches(":disabled");
}

function heirAmong(around: readonly HTMLElement[]): HTMLElement | undefined {
  for (const place of around.filter(({ isConnected }) => isConnected)) {
    const heir = [...place.querySelectorAll<HTMLElement>("[data-heir]")].find(canBePressed);
    if (heir) return heir;
  }
  return undefined;
}
