// The verdict, its control and its exposure, in Korean.
import { count, margin, quotedToken, signed } from "../../format";
import type { Messages } from "../../language";
import { format } from "./format";

export const verdict: Messages["verdict"] = {
  split: (number) => `${number}번째 토큰에서 갈라졌습니다`,
  splitOnTie: (number) => `${number}번째 토큰에서 정확한 동점으로 갈라졌습니다`,
  sameWords: "글은 같고 비트는 다릅니다",
  identical: "마지막 비트까지 같습니다",
  notCompared: "비교가 되지 않습니다",
  controlFailed: "대조 실패: 콜드끼리도 다릅니다",
  corrupt: "반올림 때문이라기에는 너무 다릅니다",
  cancelled: "사용자가 멈췄습니다",
  error: "오류로 끝났습니다",

  choseAtOnce: (cold, warm) =>
    `맨 첫 토큰에서 콜드의 선택은 ${quotedToken(cold)}, 웜의 선택은 ${quotedToken(warm)}입니다.`,
  chose: (n_identical, cold, warm) =>
    `같은 토큰 ${count(n_identical)}개 다음에 콜드의 선택은 ${quotedToken(cold)}, 웜의 선택은 ${quotedToken(warm)}입니다.`,
  logitsDiffer: (indices) => `로짓이 다른 곳: ${format.tokenNumbers(indices)}.`,
  firstWords:
    "토큰은 단어나 그 조각이고, 로짓은 토큰이 받은 점수입니다. 대조는 콜드를 한 번 더 실행한 것으로, 첫 번째와 똑같아야 합니다.",
  otherOrder: "프롬프트도 가중치도 장치도 같고, 더한 순서만 달랐습니다.",
  defect: "고정 순서에서는 일어날 수 없는 일입니다. 이 프로그램이나 장치의 결함이니 알려 주세요.",
  tieRule:
    "적어도 한 실행에서 가장 큰 두 로짓이 정확히 같았습니다. 수가 아니라 동점 규칙(id가 작은 쪽)이 정한 것입니다.",
  led: (cold, warm, cold_margin, warm_margin) =>
    `${quotedToken(warm)} 대비 ${quotedToken(cold)}의 격차는 콜드에서 ${signed(cold_margin)}, 웜에서 ${signed(warm_margin)}입니다.`,

  agree: (n) => `${format.tokens(n)}가 모두 같습니다.`,
  agreeInBits: (n) => `${format.tokens(n)}가 모두 같고, 모든 로짓의 모든 비트도 같습니다.`,
  neverEnough: "차이가 선택을 바꿀 만큼 커진 적이 없습니다.",
  closestCall: (number, closest) =>
    `차이가 선택을 바꿀 만큼 커진 적이 없습니다. 가장 아슬아슬했던 곳은 ${number}번째 토큰으로, 격차가 ${margin(closest)}였습니다.`,
  mayFork: "다른 프롬프트나 더 긴 답, 다른 장치에서는 갈라질 수 있습니다. 이번에는 아니었습니다.",
  orderKeepsBits: "더하는 순서가 모양과 상관없이 하나이면, 캐시를 재사용해도 아무것도 바뀌지 않습니다.",
  orderPromisesNothing:
    "모양에 따른 순서가 이것을 보장하지는 않습니다. 이 장치에서 이 프롬프트로는 그랬다는 뜻입니다.",
  nothingReused:
    "웜 실행이 캐시에서 재사용한 것이 없습니다. 양쪽이 같은 일을 했으니 결과가 같아도 알 수 있는 것이 없습니다. 프롬프트가 더 길면 캐시에 담길 것이 생깁니다.",
  doesNotRepeat:
    "빈 캐시에서 두 번 실행한 결과가 서로 다릅니다. 이 장치는 같은 계산을 반복하지 못하므로, 콜드와 웜이 달라도 캐시 탓이라고 할 수 없습니다. 아래는 두 콜드 실행입니다.",
  wrongNumbers:
    "콜드와 웜의 차이가 더하는 순서로 설명할 수 있는 것보다 큽니다. 드라이버나 커널, 캐시 가운데 어딘가에서 틀린 수가 나왔습니다. 이 실행으로 반올림에 대해 말할 수는 없습니다.",
  partial: "지금까지 계산한 것은 아래에 남습니다. 중간에 끝난 실행에는 판정이 없습니다.",

  controlOpen: "대조: 아직 안 끝남",
  controlPassed: "대조: 콜드 = 콜드",
  controlFailedBits: "대조: 콜드 ≠ 콜드 (토큰은 같고 비트는 다름)",
  controlFailedTokens: "대조: 콜드 ≠ 콜드",
  exposureOpen: "재사용: 웜 실행 없음",
  exposure: (reused, prompt) => `웜이 재사용한 프롬프트 토큰: ${count(prompt)}개 중 ${count(reused)}개`,
  verdictCode: "판정:",
  numerics: (formats, order) => `${formats}, 순서 ${order}`,

  recorded: "기록된 실행",
  changeOrder: "덧셈 순서 바꾸기",
  byShape: "모양에 따라 (보통)",
  invariant: "고정 (한 가지 순서)",
  runYours: "내 기기에서 실행",
  recordedBy: (driver) => `바로 이 엔진으로 소프트웨어 GPU(${driver})에서 기록했습니다.`,
  records: "기록:",
  byShapeRecord: "모양에 따라",
  invariantRecord: "고정",
  whyThis:
    "갈라지기 때문에 여기에 실었습니다. 고르지 않은 프롬프트 40개 가운데 35개가 그 장치에서 100토큰 안에 갈라졌습니다. 다른 장치에서는 다른 곳에서 갈라지거나 갈라지지 않을 수 있습니다.",
};
