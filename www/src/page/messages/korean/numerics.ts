// How it is computed, in Korean.
import type { Messages } from "../../language";

export const numerics: Messages["numerics"] = {
  heading: "계산 방식",
  order: "덧셈 순서",
  orders: { "by-shape": "모양에 따라", invariant: "고정" },
  orderHints: {
    "by-shape":
      "행이 몇 개 없을 때와 많을 때 서로 다른 루틴을 쓰고, 루틴마다 더하는 순서가 다릅니다. 빠른 엔진은 대개 이렇게 합니다.",
    invariant:
      "행이 몇 개든 더하는 순서가 같습니다. 그러면 콜드와 웜은 비트까지 같아야 합니다. 대신 조금 느립니다.",
  },
  formats: "수 형식",
  formatNames: { int8: "int8", float: "float", half: "half", f32: "f32" },
  formatHints: {
    int8: "레이어 사이의 값은 8비트, 캐시는 16비트입니다. 양자화된 모델에 흔히 쓰며, 답이 자주 갈라집니다.",
    float: "값과 합은 32비트, 캐시는 16비트입니다. 더 세밀해서 차이가 작고 덜 갈라집니다.",
    half: "값, 합, 캐시 모두 16비트로, 반정밀도 엔진처럼 계산합니다. 여기서는 합을 흉내 내어 계산하므로 느립니다.",
    f32: "값, 합, 캐시 모두 32비트로, 이 페이지에서 가장 세밀합니다. 그래도 마지막 비트에는 순서가 드러납니다.",
  },
  maxTokens: "실행마다 최대 토큰 수",
  more: "설정 더 보기",
  sentAs: "프롬프트를 보내는 방식",
  sentAsNames: { chat: "채팅 메시지", complete: "이어 쓸 글" },
  before: "웜 실행 전에 돌릴 프롬프트(한 줄에 하나)",
  beforeHint: "서버에서 다른 사람의 요청이 그러듯이, 웜 실행과 캐시를 함께 씁니다.",
  template: "채팅 템플릿",
  defaultTemplate: "파일의 기본값",
  noTemplate: "없음: 모델이 텍스트를 이어 씁니다",
  knownTemplates: "파일에 없는, 알려진 형식",
};
