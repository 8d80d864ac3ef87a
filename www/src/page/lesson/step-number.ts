// Which step an address means. Pure.

const STEPS = 6;

/** The first one where the address names none. */
export function stepFrom(parameters: URLSearchParams): number {
  const step = Number(parameters.get("step"));
  return Number.isInteger(step) && step >= 1 && step <= STEPS ? step : 1;
}
