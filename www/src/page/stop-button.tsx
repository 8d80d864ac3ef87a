// The button that ends what is in progress. It often appears under the pointer, or takes the focus, of the button that began it:
// the second click of two, and a key that is still held, are not meant for it.
import type { ComponentChildren } from "preact";

interface StopButtonProps {
  onStop: () => void;
  /** Whether it has been pressed: it then keeps its place and the focus until all has ended. */
  isStopping?: boolean;
  class?: string;
  children: ComponentChildren;
}

export function StopButton({ onStop, isStopping = false, class: className, children }: StopButtonProps) {
  return (
    <button
      type="button"
      class={className}
      data-heir
      aria-disabled={isStopping}
      onClick={({ detail }) => {
        if (detail <= 1 && !isStopping) onStop();
      }}
      onKeyDown={(event) => {
        if (event.repeat) event.preventDefault();
      }}
    >
      {children}
    </button>
  );
}
