// The prompts the page ships with. Written by hand, open-ended so that the answer runs on for a while,
// and kept as first written: none was chosen or dropped by what a model did with it.
import type { english } from "./messages/english";

export interface ShippedPrompt {
  /** Of its label and of what it shows, in the catalogue. */
  name: keyof typeof english.prompts.labels;
  user: string;
  /** Makes it a second turn: the reply to `user` is kept, then this is asked. */
  follow_up?: string;
}

/** Four tools as agents are given them, in front of the message. */
const TOOLS = [
  '{"name":"weather","description":"Forecast for a place and a day","parameters":{"place":"string","day":"string"}}',
  '{"name":"trains","description":"Train connections between two places","parameters":{"from":"string","to":"string","day":"string"}}',
  '{"name":"hotels","description":"Hotels with free rooms","parameters":{"place":"string","day":"string","nights":"number"}}',
  '{"name":"notes","description":"Keeps a note for later","parameters":{"text":"string"}}',
].join(" ");

export const SHIPPED_PROMPTS: readonly ShippedPrompt[] = [
  {
    name: "lighthouse",
    user: "Write a short story about a lighthouse keeper who finds a letter in a bottle.",
  },
  { name: "bread", user: "Explain how bread rises, to someone who has never baked." },
  { name: "city-walk", user: "Describe a walk through a quiet city early on a Sunday morning." },
  {
    name: "invention",
    user: "Invent a small machine that makes one part of everyday life easier, and explain how it works.",
  },
  { name: "maths", user: "Why do some people find mathematics beautiful? Give a few reasons." },
  {
    name: "two-turns",
    user: "Suggest a place for a weekend trip by train and say what makes it worth visiting.",
    follow_up: "What should I pack for it, and why?",
  },
  {
    name: "tools",
    user: `You can call these tools. ${TOOLS} I want to spend a weekend at the sea. Which tool would you call first, and why?`,
    follow_up: "And after that one?",
  },
  {
    // With the built-in model's chat template 65 tokens, one more than two chunks of 32; a test counts them.
    name: "chunk-edge",
    user: "Describe the view from a hill at dusk, when the lamps of the town below are lit one by one, and the last birds fly home over the river to their nests.",
  },
  {
    name: "seam",
    user: "Invent five long names for a small island in the far north, and say what each of them means.",
    follow_up: "Which of these names would you choose, and why?",
  },
];

/** Length of the kept reply in a second-turn comparison. */
export const REPLY_TOKENS = 32;

/** That of the recorded fork, for the lesson: another device may fork elsewhere, or not at all. */
export const LESSON_MESSAGE = "Write a poem about rain on a tin roof.";
