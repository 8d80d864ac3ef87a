// The list of shortcuts, in Korean.
import type { Messages } from "../../language";

export const shortcuts: Messages["shortcuts"] = {
  title: "키보드 단축키",
  run: "콜드, 콜드, 웜 실행",
  runFromField: "메시지를 쓰는 중에 실행 (모델을 불러온 뒤)",
  stop: "실행 중인 작업 멈추기",
  fork: "갈라진 곳으로 이동",
  why: "비교 결과 분석하기",
  arrows: "슬라이더에서: 두 답변에서 함께 한 토큰씩 이동",
  help: "이 목록 보기",
  switch: "한 글자 단축키 사용",
  close: "닫기",
};
