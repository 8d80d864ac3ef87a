// What the one status line says, event by event, in Korean.
import type { Messages } from "../../language";
import { format } from "./format";

export const status: Messages["status"] = {
  busy: "실행 중인 일이 끝나면 다른 파일을 고를 수 있습니다",
  readingHeader: "파일 헤더를 읽고 있습니다",
  fits: "모델이 이 장치에 맞습니다",
  fitsNot: "모델이 이 장치에 맞지 않습니다",
  loading: "모델을 불러오고 있습니다",
  ready: "모델이 준비되었습니다",
  fromFirstByte: "파일을 처음부터 다시 받습니다",
  download: (part) => `모델 다운로드: ${part}`,
  percent: (n) => `${n}퍼센트`,
  started: "비교를 시작했습니다",
  replaying: "GPU와 연결이 끊겨, 새로 연결한 GPU에서 같은 단계를 다시 실행합니다",
  finished: "끝났습니다. 판정이 페이지에 있습니다",
  stopped: "멈췄습니다",
  fork: (number) => `${number}번째 토큰에서 처음 갈라졌습니다`,
  identicalSoFar: (tokens) => `${format.tokens(tokens)}, 지금까지 같습니다`,
  lookingForOrigin: "처음으로 다른 비트를 찾고 있습니다",
  takenApart: "분석이 끝났습니다. ‘왜’에서 볼 수 있습니다",
  changingOrders: "자리마다 덧셈 순서를 바꿔 보고 있습니다",
  ordersTried: (done, of) => `순서 ${of}가지 중 ${done}가지를 해 봤습니다`,
  allOrdersTried: "모든 순서를 해 봤습니다. ‘왜’에서 볼 수 있습니다",
  tryingOrders: "이 순서 조합으로 콜드와 웜을 실행하고 있습니다",
  checkingShapes: "프롬프트를 다른 모양으로 실행하고 있습니다",
  shapesTried: (done, of) => `실행 ${of}번 중 ${done}번 끝났습니다`,
  allShapesTried: "모든 모양을 해 봤습니다. ‘왜’에서 볼 수 있습니다",
  judgingNoise: "웜 실행의 캐시를 반올림과 견주고 있습니다",
  noiseJudged: "잡음인지 손상인지 판정했습니다. ‘왜’에서 볼 수 있습니다",
  checkingTwin: "CPU 트윈과 비교하고 있습니다",
  twinChecked: "CPU 트윈과 비교했습니다. ‘왜’에서 볼 수 있습니다",
};
