// The search for a fork.
export const scan = {
  begin: "Find a fork on this device",
  explained:
    "Runs the prompts above one after the other, until one forks. It says how many it tried: this is a search, not a rate.",
  tried: (n: number, of: number, forked: number) =>
    `${n} of ${of} prompts tried, ${forked === 0 ? "none forked" : `${forked} forked`}.`,
  one: (label: string, verdict: string, token: number | null) =>
    token === null ? `${label}: ${verdict}` : `${label}: ${verdict} at token ${token}`,
};
