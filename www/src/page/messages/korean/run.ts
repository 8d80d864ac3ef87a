// The bar that starts and stops a comparison, in Korean.
import type { Messages } from "../../language";

export const run: Messages["run"] = {
  stop: "멈추기",
  stopping: "멈추는 중 …",
  stopKeeps: "멈춰도 지금까지 나온 것은 남습니다.",
  start: "콜드, 콜드, 웜 실행",
  loadAndStart: (size) => `${size} 받고 실행`,
  loadKeptAndStart: "보관된 모델을 불러와 실행",
  what: "빈 캐시에서 두 번, 캐시를 재사용해서 한 번 실행합니다. 답이 갈라질 수도 있고 아닐 수도 있습니다.",

  notNow: {
    lookingForGpu: "먼저 GPU를 찾고 있습니다.",
    noGpu: "GPU가 없습니다. 할 수 있는 일과 CPU로 실행하는 방법은 위에 있습니다.",
    readingHeader: "파일 헤더를 읽고 있습니다.",
    loading: "모델을 불러오고 있습니다.",
    doesNotFit: "고른 모델이 이 장치에 맞지 않습니다.",
    noMessage: "먼저 메시지를 쓰세요.",
  },
};
