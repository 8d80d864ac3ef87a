// Another model: the ways to it, what its header says, and whether it fits, in Korean.
import { bytes, count } from "../../format";
import type { Messages } from "../../language";

export const choice: Messages["choice"] = {
  summary: "다른 모델: 내 GGUF 파일 또는 주소",
  goBackTo: (title) => `${title} 모델로 돌아가기`,
  file: "GGUF 파일, 또는 나뉜 조각 전부",
  fileHint:
    "이 페이지 아무 데나 끌어다 놓아도 됩니다. 디스크에서 읽을 뿐 다른 곳으로 보내지 않습니다. 조각의 이름은 …-00001-of-00003.gguf 꼴입니다.",
  drop: "GGUF 파일이나 나뉜 조각 전부를 여기에 놓으세요",
  address: "GGUF 파일의 주소",
  addressHint:
    "그 호스트에만 쿠키 없이 요청합니다. 먼저 헤더만 받아서 모델이 이 장치에 맞는지 보여 줍니다. 나뉜 모델은 조각 하나의 주소(…-00002-of-00003.gguf)만 입력하면 나머지도 찾습니다.",
  checkAddress: "주소 확인",
  yourFile: "내 파일",

  readingHeader: (file) => `헤더를 읽는 중: ${file} …`,
  cancel: "취소",
  staysLoaded: (title) => `${title} 모델은 그대로 있어서 전처럼 실행할 수 있습니다.`,
  builtInRemains: (title) => `아무것도 불러오지 않았습니다. 이 페이지에 딸린 ${title} 모델을 쓸 수 있습니다.`,

  fits: "네, 맞습니다.",
  fitsNot: "아니요, 맞지 않습니다.",
  memory: (fit) =>
    `가중치 ${bytes(fit.weights_bytes)}에, 읽은 글을 기억하는 키·값 캐시가 ${count(fit.cache_positions)}토큰분 ` +
    `${bytes(fit.cache_bytes)}, 모두 ${bytes(fit.total_bytes)}입니다. 쓸 수 있는 ${bytes(fit.budget_bytes)}${fit.memory_fits ? " 안에 들어갑니다." : "보다 많습니다."}`,
  binding: (fit, limit) =>
    `커널이 한 번에 봐야 하는 가장 큰 덩어리(${fit.largest_binding}, ${bytes(fit.largest_binding_bytes)})는 이 장치의 한계 ` +
    `${bytes(limit)}${fit.binding_fits ? " 안에 들어갑니다." : "보다 큽니다."}`,
  loadedAnyway: (pre_tokenizer, rule) =>
    `이 파일의 사전 토크나이저(${pre_tokenizer ?? "이름 없음"}) 규칙을 이 페이지는 모릅니다. 그래도 불러오기로 해서 규칙 ${rule ?? "없음"}을 씁니다. ` +
    "학습할 때와 다른 토큰으로 읽힐 수 있습니다.",
  load: (size) => `불러오기 · ${size}`,
  loadAllTheSame: (size) => `그래도 불러오기 · ${size}`,
  smaller: "더 작은 모델이나 비트 수가 더 적은 형식의 모델을 고르세요.",

  files: (n) => `파일, 조각 ${n}개`,
  parameters: "파라미터",
  sizeNotTold: "서버가 알려 주지 않음",
  notes: "이 엔진이 읽지 않는 헤더 항목 없이 실행됩니다:",
  noLicence: "파일에 적혀 있지 않음",
  surplus: "모델 뒤에 남은 부분",
  ignored: (n) => `${count(n)}바이트, 쓰지 않음`,
  comesFrom: "실제로 받는 곳",
  tableCaption: (formats) => `키와 값, 형식 ${formats}`,
  context: "문맥 길이",
  keysAndValues: "키와 값",
  withWeights: "가중치 포함",
  fit: "맞음",
  yes: "예",
  no: "아니요",
};
