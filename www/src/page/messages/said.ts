// A sentence as data: an entry of a part of the catalogue and what it is filled with, so that it can be said in any language.

export type Said<Part> = {
  [Name in keyof Part]: Part[Name] extends (...filling: infer Filling) => string
    ? readonly [Name, ...Filling]
    : Part[Name] extends string
      ? readonly [Name]
      : never;
}[keyof Part];

export function say<Part>(part: Part, [name, ...filling]: Said<Part>): string {
  const entry = part[name] as string | ((...filling: unknown[]) => string);
  return typeof entry === "string" ? entry : entry(...filling);
}
