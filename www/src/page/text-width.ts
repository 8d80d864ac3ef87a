// About how wide a text is in a drawing, which nothing measures before it is drawn.

const WIDE = /[¼-¾\u1100-\uffdc]/;

/** About the width of a text, in units: Korean letters and fractions are square, others narrower. Pure. */
export function textWidth(text: string, size: number): number {
  return [...text].reduce((width, letter) => width + size * (WIDE.test(letter) ? 1 : 0.62), 0);
}

/** A text, cut where it would be wider than its place. Pure. */
export function fitted(text: string, size: number, most: number): string {
  const letters = [...text];
  if (textWidth(text, size) <= most) return text;
  while (letters.length > 0 && textWidth(`${letters.join("")}…`, size) > most) letters.pop();
  return `${letters.join("")}…`;
}
