// The prompts the page ships with. Written by hand, open-ended so that the answer runs on for a while,
// and kept as first written: none was chosen or dropped by what a model did with it.

export interface ShippedPrompt {
  label: string;
  user: string;
  /** Makes it a second turn: the reply to `user` is kept, then this is asked. */
  follow_up?: string;
}

export const SHIPPED_PROMPTS: readonly ShippedPrompt[] = [
  {
    label: "Lighthouse",
    user: "Write a short story about a lighthouse keeper who finds a letter in a bottle.",
  },
  { label: "Bread", user: "Explain how bread rises, to someone who has never baked." },
  { label: "City walk", user: "Describe a walk through a quiet city early on a Sunday morning." },
  {
    label: "Invention",
    user: "Invent a small machine that makes one part of everyday life easier, and explain how it works.",
  },
  { label: "Maths", user: "Why do some people find mathematics beautiful? Give a few reasons." },
  {
    label: "Two turns",
    user: "Suggest a place for a weekend trip by train and say what makes it worth visiting.",
    follow_up: "What should I pack for it, and why?",
  },
];

/** Length of the kept reply in a second-turn comparison. */
export const REPLY_TOKENS = 32;
