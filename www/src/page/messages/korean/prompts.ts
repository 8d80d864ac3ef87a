// The library of prompts, in Korean.
import type { Messages } from "../../language";

export const prompts: Messages["prompts"] = {
  labels: {
    lighthouse: "등대",
    bread: "빵",
    "city-walk": "도시 산책",
    invention: "발명",
    maths: "수학",
    "two-turns": "두 번의 대화",
    tools: "도구 정의",
    "chunk-edge": "청크 경계",
    seam: "이음매",
  },
  shows: {
    lighthouse: "열린 질문입니다. 다음에 올 수 있는 단어가 많아 아슬아슬한 선택이 잦습니다.",
    bread: "설명을 부탁합니다. 아슬아슬한 선택이 나올 만큼 열려 있습니다.",
    "city-walk": "묘사입니다. 거의 모든 단어에 경쟁자가 있습니다.",
    invention: "자유로운 발명이라 답이 길어집니다.",
    maths: "취향을 묻는 질문이라 좋은 답이 여럿입니다.",
    "two-turns": "모든 채팅이 하는 일입니다. 두 번째 차례가 첫 번째 차례를 재사용합니다.",
    tools: "모든 에이전트가 하는 일입니다. 긴 도구 정의가 차례마다 다시 보내지고 거의 전부 재사용됩니다.",
    "chunk-edge":
      "기본 모델에서 2 × 32 + 1 토큰입니다. 콜드에서도 마지막 토큰이 혼자 한 청크가 되므로 콜드와 웜이 같은 커널을 씁니다.",
    seam: "첫 답변이 중간에서 잘려 다시 텍스트가 됩니다. 다시 토큰으로 나눌 때 id가 달라질 수 있고, 재사용은 거기서 끝납니다.",
  },
};
