// Which view is on show. The fixed text of index.html belongs to views too: an element with data-view is hidden in the others.
import { computed, effect, signal } from "@preact/signals";
import { type Address, addressFrom, hashOf, type View } from "./address";

const HOME: Address = { view: "run", parameters: new URLSearchParams(), missing_view: null };

export const address = signal<Address>(addressFrom(location.hash) ?? HOME);

/** A lesson for a class: it and nothing else, no way to other views; language and colours can be chosen. */
export const isLocked = computed(() => {
  const { view, parameters } = address.value;
  return view === "lesson" && parameters.get("lock") === "1";
});

export function show(view: View, parameters?: URLSearchParams): void {
  location.hash = hashOf(view, parameters);
}

/** Follows the address from now on. */
export function followAddress(): void {
  addEventListener("hashchange", () => {
    const next = addressFrom(location.hash);
    // A place inside the page is not another view; an empty hash is the first one.
    if (next === null && location.hash !== "") return;
    const { view } = address.value;
    address.value = next ?? HOME;
    if (address.value.view !== view) startReading();
  });
  effect(() => markView(address.value.view));
  effect(() => {
    document.documentElement.toggleAttribute("data-locked", isLocked.value);
  });
}

function markView(view: View): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-view]")) {
    element.hidden = element.dataset.view !== view;
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".views a")) {
    if (link.hash === hashOf(view)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Frames in which a view that is fetched at its first look may bring its heading. */
const MOST_FRAMES = 300;

/** Another view is like another page: it is read from its heading on. */
function startReading(framesLeft = MOST_FRAMES): void {
  requestAnimationFrame(() => {
    const heading = [...document.querySelectorAll<HTMLElement>("h1")].find((h1) => h1.offsetParent !== null);
    if (!heading) {
      if (framesLeft > 0) startReading(framesLeft - 1);
      return;
    }
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}
