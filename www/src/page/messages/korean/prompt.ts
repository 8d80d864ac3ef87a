// What is asked, in Korean.
import type { Messages } from "../../language";

export const prompt: Messages["prompt"] = {
  heading: "프롬프트",
  howChosen:
    "손으로 쓴 영어 프롬프트입니다(이 작은 모델은 영어를 합니다). 답이 갈라진다고 골라 넣거나 뺀 것은 없습니다.",
  noTemplate: "이 모델 파일에는 채팅 템플릿이 없어서, 입력한 글을 모델이 이어 씁니다.",
  text: "글",
  message: "메시지",
  firstMessage: "첫 번째 메시지",
  secondMessage: "두 번째 메시지",
  scenario: "상황",
  samePrompt: "같은 프롬프트",
  secondTurn: "두 번째 차례",
  samePromptHint: "캐시에 이미 들어 있는 바로 그 프롬프트에 웜이 답합니다.",
  secondTurnHint: (reply_tokens) =>
    `모델이 첫 번째 메시지에 답하고(${reply_tokens}토큰), 두 번째 메시지에 콜드와 웜이 각각 답합니다. 어느 채팅에서나 일어나는 일입니다.`,
};
