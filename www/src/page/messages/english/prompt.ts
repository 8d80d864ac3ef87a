// What is asked: the boxes and the scenario. The prompts to choose from are in prompts.ts.
export const prompt = {
  heading: "Prompt",
  howChosen:
    "These were written by hand and not screened by outcome: none was chosen or dropped because it forks.",
  noTemplate: "This model's file brings no chat template: the model continues your text.",
  text: "Text",
  message: "Message",
  firstMessage: "First message",
  secondMessage: "Second message",
  scenario: "Scenario",
  samePrompt: "Same prompt",
  secondTurn: "Second turn",
  samePromptHint: "Warm answers the very prompt that the cache already holds.",
  secondTurnHint: (reply_tokens: number) =>
    `The model answers the first message (${reply_tokens} tokens); then cold and warm answer the second one. Every chat meets this.`,
};
