// The place in both answers that is looked at, in Korean.
import type { Messages } from "../../language";

export const cursor: Messages["cursor"] = {
  title: (token, of) => `토큰 ${token} / ${of}`,
  toFork: (token) => `갈라진 곳으로: 토큰 ${token}`,
  cold: "콜드",
  warm: "웜",
  none: "이 위치에는 토큰이 없습니다",
  chose: (token, margin, second) => `${token} 선택, 2위 ${second}보다 ${margin} 앞섬`,
};
