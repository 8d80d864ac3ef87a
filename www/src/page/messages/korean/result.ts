// A comparison on show: its runs, the two answers, and the tables behind them, in Korean.
import { count } from "../../format";
import type { Messages } from "../../language";
import { format } from "./format";

export const result: Messages["result"] = {
  heading: "결과",
  switchOff: "차이 없애기: 모두 한 가지 순서로 다시 실행",
  whyLink: "왜? 자세히 분석하기",
  beforeAndAfter: {
    heading: "이전과 지금",
    before: "이전",
    after: "지금",
    both: "콜드와 웜",
    forkedAt: (verdict, number) => `${verdict}, ${number}번째 토큰`,
    alike: (verdict, tokens) => `${verdict}, ${format.tokens(tokens)} 중 ${count(tokens)}개`,
    sameOtherwise: "프롬프트, 모델, 수 형식, 길이, 장치는 같고 덧셈 순서만 다릅니다.",
  },

  runs: {
    "first-turn": { title: "첫 차례", does: "첫 번째 메시지에 한 번 답합니다" },
    "cold-a": { title: "콜드 A", does: "빈 캐시에서 모두 계산합니다" },
    "cold-b": { title: "콜드 B", does: "똑같이 한 번 더 합니다(대조)" },
    warm: { title: "웜", does: "캐시에 있는 것을 재사용합니다" },
  },
  stops: {
    "end-of-turn": "모델이 말을 마침",
    "max-tokens": "정한 길이에 도달",
    "context-full": "문맥이 가득 참",
    cancelled: "취소됨",
  },
  verdicts: {
    "bit-identical": "비트까지 같음",
    "same-tokens": "토큰은 같고 비트는 다름",
    forked: "갈라짐",
    tie: "동점에서 갈라짐",
    vacuous: "재사용 없음",
    "control-failed": "대조 실패",
    corrupt: "반올림이라기엔 너무 다름",
    cancelled: "멈춤",
    error: "오류",
  },
  ended: (tokens, stop) => `${format.tokens(tokens)}, ${stop}`,
  cutOff: (tokens) => `${format.tokens(tokens)}, 중간에 끊김`,
  readingPrompt: (done, total) => `프롬프트 읽는 중, ${done} / ${total}`,
  writingToken: (number) => `${number}번째 토큰을 쓰는 중`,
  promptProgress: (run) => `${run}: 프롬프트`,
  tokenProgress: (run) => `${run}: 토큰`,
  reused: (reused, prompt) => `프롬프트 토큰 ${count(prompt)}개 중 ${count(reused)}개 재사용`,
  noneReused: (prompt) => `프롬프트 토큰 ${count(prompt)}개, 재사용 없음`,
  firstTokenAfter: "첫 토큰까지",

  legend:
    "두 답이 같은 동안은 한 번만 적습니다. 갈라지면 처음으로 다른 토큰(단어나 그 조각)에 상자를 두르고 양쪽을 따로 적습니다. " +
    "끝까지 갈라지지 않아도 그것 역시 결과입니다.",

  answers: "두 답",
  cold: "콜드",
  warm: "웜",
  everythingComputed: "모두 계산",
  computedAgain: "모두 다시 계산",
  cacheReused: "캐시 재사용",
  waiting: "첫 토큰을 기다리는 중",
  noTokens: "토큰 없음",
  coldSoFar: "지금은 콜드만, 아직 비교 전",
  coldOnly: "콜드만 있음, 비교하지 않음",
  nothingShared: "같은 부분 없음",
  shared: (n) => (n === 1 ? "같은 부분, 1번째 토큰" : `같은 부분, 1–${n}번째 토큰`),
  allShared: (n) => `모두 같음, ${format.tokens(n)}`,
  coldAhead: (shared) => `${shared} (회색은 아직 콜드에만 있음)`,
  firstDifferent: (token, run, other, other_run) =>
    `처음으로 다른 토큰: ${run} ${token}, ${other_run} ${other}. 여기부터는 두 실행이 읽는 입력이 다릅니다. ` +
    "회색 밑줄은 같은 위치에 같은 토큰이 다시 나온 곳입니다.",

  isReplay:
    "GPU와 연결이 끊겼습니다. 새로 연결한 GPU에서 같은 단계를 다시 실행하며, 그때까지의 내용은 그대로 둡니다.",
  replaySame: (n) =>
    `비교 도중 GPU와 연결이 끊겨 같은 단계를 다시 실행했습니다. 이미 나왔던 ${format.tokens(n)}의 로짓이 모두 비트까지 같습니다.`,
  replayDiffers: (number) =>
    `비교 도중 GPU와 연결이 끊겨 같은 단계를 다시 실행했는데, ${number}번째 토큰에서 비트가 달라졌습니다. 이 장치는 같은 결과를 되풀이하지 못합니다.`,
  replayCut: (n, of) =>
    `비교 도중 GPU와 연결이 끊겼습니다. 다시 실행하던 중, 이미 나왔던 ${format.tokens(of)} 가운데 ${n}개까지 확인하고 멈췄습니다.`,
  templateKnown: (whose) => `알려진 채팅 템플릿을 사용했습니다: ${whose}`,
  templateUnknown:
    "알려지지 않은 채팅 템플릿입니다. 무엇을 더하거나 뺐는지는 모델이 실제로 받은 것에서 볼 수 있습니다.",
  sent: (n) => `모델이 실제로 받은 것: ${format.tokens(n)}와 그 id`,
  control: "제어 토큰",
  everyStep: "모든 단계를 표로, 그리고 실행된 커널",
  everyToken: "두 답의 모든 토큰",
  allRuns: "모든 실행",
  token: "토큰",
  coldMargin: "격차, 콜드",
  warmMargin: "격차, 웜",
  allLogits: "모든 로짓",
  forkAt: (number) => `⟨${number}⟩ 갈라짐`,
  otherInputs: "입력이 다름",
  sameBits: "= 비트 같음",
  otherBits: "≠ 비트 다름",
  run: "실행",
  prompt: "프롬프트",
  reusedTokens: "재사용",
  firstToken: "첫 토큰",
  tokens: "토큰 수",
  perToken: "토큰당",
  endedBy: "끝난 이유",
  kernels: "실행된 커널",

  over: (token, other) => `${other} 대비 ${token}`,
  closeCall: {
    heading: "얼마나 아슬아슬했을까?",
    explained: (number, pair) =>
      `${number}번째 토큰에서 두 실행 각각의 ${pair} 격차(한쪽 로짓에서 다른 쪽 로짓을 뺀 값)입니다. 이 값의 부호가 바뀌면 선택이 바뀝니다.`,
    saved: (pair, number) => `${number}번째 토큰, ${pair}`,
    wins: (token) => `${token} 선택`,
    outsideTopFive: "이 실행의 상위 5개 밖",
  },
};
