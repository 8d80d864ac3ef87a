// The library of prompts: what they are called, and what each is there for.
export const prompts = {
  labels: {
    lighthouse: "Lighthouse",
    bread: "Bread",
    "city-walk": "City walk",
    invention: "Invention",
    maths: "Maths",
    "two-turns": "Two turns",
    tools: "Tools",
    "chunk-edge": "Chunk edge",
    seam: "Seam",
  },
  shows: {
    lighthouse: "An open question: many words could come next, so calls are close.",
    bread: "An explanation, open enough for close calls.",
    "city-walk": "A description: nearly every word has rivals.",
    invention: "Free invention, with a long answer.",
    maths: "A question of taste, with many good answers.",
    "two-turns": "What every chat does: the second turn reuses the first.",
    tools:
      "What every agent does: a long prefix of tool definitions, sent again with each turn, nearly all of it reused.",
    "chunk-edge":
      "The built-in model reads 2 × 32 + 1 tokens here: the last one is alone in its chunk in the cold run too, so cold and warm take the same kernels.",
    seam: "The first answer is cut in the middle and becomes text again: where it is tokenised anew its ids may change, and reuse ends there.",
  },
};
