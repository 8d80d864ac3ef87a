// The search for a fork, in Korean.
import type { Messages } from "../../language";

export const scan: Messages["scan"] = {
  begin: "이 기기에서 갈라지는 프롬프트 찾기",
  explained:
    "위의 프롬프트를 하나씩 실행하다가 갈라지면 멈추고, 몇 개를 시도했는지 알려 줍니다. 탐색일 뿐 비율이 아닙니다.",
  tried: (n, of, forked) =>
    `프롬프트 ${of}개 중 ${n}개 시도, ${forked === 0 ? "갈라진 것 없음" : `${forked}개 갈라짐`}`,
  one: (label, verdict, token) =>
    token === null ? `${label}: ${verdict}` : `${label}: ${verdict}, 토큰 ${token}`,
};
