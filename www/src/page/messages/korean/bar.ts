// The status bar, in Korean.
import type { Messages } from "../../language";

export const bar: Messages["bar"] = {
  device: "장치",
  model: "모델",
  formats: "수 형식",
  order: "덧셈 순서",
  verified: "여기서 확인됨",
  offline: "오프라인",
  offlineReady: {
    nothing: "아직 아님",
    reading: "첫 보기",
    views: "모든 보기",
    everything: "모든 보기와 엔진",
  },
  checking: "찾는 중 …",
  software: (name) => `${name} (소프트웨어)`,
  noGpu: "GPU 없음",
  cpuTwin: "CPU 트윈",
  noModel: "아직 없음",
  orders: { "by-shape": "모양에 따라", invariant: "고정", vector: "벡터", tiled: "타일" },
  nothingVerified: "아직 없음",
  levels: {
    L0: "다시 실행해도 같음",
    L1: "콜드 = 웜",
    L2: "청크, 이웃, 재사용과 무관하게 같음",
    L3: "다른 날에도 같음",
    L4: "CPU 트윈과 비트가 같음",
  },
  claim: (level, meaning, formats, order) => `${level}, ${meaning} (${formats}, ${order})`,
};
