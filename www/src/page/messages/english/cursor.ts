// The place in both answers that is looked at.
export const cursor = {
  title: (token: number, of: number) => `Token ${token} of ${of}`,
  toFork: (token: number) => `To the fork, token ${token}`,
  cold: "Cold",
  warm: "Warm",
  none: "no token here",
  chose: (token: string, margin: string, second: string) => `${token}, ahead of ${second} by ${margin}`,
};
