// A figure that is wider than its box shows the place that matters.

/** Scrolls the box around a figure sideways, where a place of the figure is out of sight, until that is in the middle. */
export function bringIntoView(figure: Element | null, x: number): void {
  const box = figure?.closest(".scroll");
  if (!box) return;
  const isSeen = x >= box.scrollLeft && x <= box.scrollLeft + box.clientWidth;
  if (!isSeen) box.scrollLeft = x - box.clientWidth / 2;
}
