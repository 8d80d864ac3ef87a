// Why the answers part, in Korean.
import type { OriginSide, TapTensor } from "../../../shared/engine-records";
import { count, plain } from "../../format";
import type { why as english } from "../english/why";
import { format } from "./format";

const TENSORS: Record<TapTensor, string> = {
  q: "Q",
  k: "K",
  v: "V",
  "attention-output": "어텐션 출력",
  "residual-after-attention": "어텐션 뒤 잔차",
  "ffn-hidden": "FFN 은닉값",
  "residual-after-ffn": "FFN 뒤 잔차",
  logits: "로짓",
};

function sideWords(run: string, { value, bits, writer, altered }: OriginSide): string {
  const step = `${writer.kernel}, ${writer.chunk_rows}행 단계`;
  return altered
    ? `${run} 캐시에 있던 값은 ${plain(value)}(${bits})인데, 커널(${step})이 쓰는 값이 아닙니다.`
    : `${run} 실행이 쓴 값은 ${plain(value)}(${bits})입니다(${step}).`;
}

export const why: typeof english = {
  title: "어느 비트에서 시작됐을까?",
  titleOfEqual: "모든 비트가 정말 같을까?",
  isThere: "지금 보이는 비교를 콜드와 웜을 나란히 놓고 한 번 더 실행하면서 모든 텐서를 비교합니다.",
  modelIsGone:
    "지금 불러온 모델은 이 비교를 실행한 모델이 아닙니다. 이미 찾은 것은 그대로 남습니다. 더 알아보려면 그 모델을 다시 불러오거나 지금 모델로 비교를 실행하세요.",
  isRunning: "비교가 아직 실행 중입니다. 판정이 나오면 분석할 수 있습니다.",
  isMissing:
    "아직 직접 실행한 비교가 없습니다. 먼저 한 번 실행하면 처음으로 달라진 비트, 선택마다 얼마나 아슬아슬했는지, 어느 덧셈 순서 때문인지를 여기서 볼 수 있습니다.",
  ranOnCpu: "이 비교는 CPU에서 실행했습니다. CPU 커널은 들여다볼 수 없으므로 GPU가 필요합니다.",
  hasNoVerdict: "이 비교에는 분석할 만한 판정이 없습니다. 다른 비교를 실행하세요.",
  toComparison: "비교로 가기",
  recordedIs: "아래는 그 분석입니다. 직접 한 비교도 이렇게 분석됩니다.",
  recordedLoading: "기록된 실행의 분석을 가져오는 중 …",
  recordedUnreadable: "기록된 실행을 가져오지 못했습니다.",

  heading: "자세한 분석",
  offer:
    "두 실행을 나란히 한 번 더 돌리면서 GPU에서 모든 텐서를 비교합니다. 처음으로 다른 비트와 그것을 쓴 커널, 그리고 선택마다 얼마나 아슬아슬했는지를 찾습니다.",
  begin: "분석하기",
  stop: "멈추기",
  stopping: "멈추는 중 …",
  progress: "분석 중",
  computing: "두 실행이 프롬프트를 계산하는 중 …",
  compared: (tokens, of) => `나란히 비교하는 중, ${format.tokens(of)} 중 ${count(tokens)}개 …`,
  findingMargins: "두 토큰의 격차를 단계마다 구하는 중 …",
  findingOrigin: "처음으로 다른 비트를 찾는 중 …",

  origin: ({ layer, tensor, position, index, ulp, cold, warm }) =>
    `처음으로 다른 비트: ${layer === null ? "" : `레이어 ${layer}, `}위치 ${position}의 ${TENSORS[tensor]}, 인덱스 ${index}. ` +
    `${sideWords("콜드", cold)} ${sideWords("웜", warm)} 차이는 ${count(ulp)} ulp(이웃한 두 수의 간격)입니다.`,
  allEqual: "다른 곳이 없습니다. 모든 텐서의 모든 비트가 같습니다.",
  stopped: "처음으로 다른 비트를 찾기 전에 멈췄습니다.",
  brokenOff: (message) => `중단되었습니다. ${message}`,
  logitsDiffer: (steps, of) =>
    `${count(of)}단계 중 ${count(steps)}단계에서 로짓(토큰마다 매긴 점수)이 조금이라도 다릅니다.`,
  flips: (spread, expected, steps) =>
    `1위와 2위의 격차는 두 실행 사이에서 ${spread}만큼 움직입니다(제곱평균제곱근). 이것만 보면 ${count(steps)}단계에서 순위가 ${expected}번 뒤집힐 것으로 예상됩니다.`,
  flipAtFork: (percent) => `갈라진 곳에서 뒤집힐 확률은 ${percent}%였습니다.`,
  bestOverSecond: "2위 대비 1위 토큰",

  hatched: "빗금: 갈라진 뒤에는 두 실행이 서로 다른 토큰을 읽으므로 비교할 것이 없습니다.",
  canGoBeyond: "대신 둘 다 콜드 실행의 토큰을 계속 읽게 할 수 있습니다.",
  goBeyond: "같은 토큰으로 계속하기",
  isBeyond: (tokens) =>
    `갈라진 뒤에는 두 실행 모두 콜드 실행의 토큰을 읽었습니다(${format.tokens(tokens)}). 여기서 비교되는 것은 각자의 답이 아니라 잡음입니다.`,

  everyTensor: (position) =>
    `위치 ${position}의 모든 텐서, 레이어별: 텐서 안의 가장 큰 차이. 단위는 K와 V까지 모두 f32 ulp(이웃한 두 수의 간격. 0을 사이에 둔 작은 두 수는 수십억 ulp 떨어져 있음)`,
  layer: "레이어",
  tensorColumns: {
    q: "Q",
    k: "K",
    v: "V",
    "attention-output": "어텐션",
    "residual-after-attention": "어텐션 뒤 잔차",
    "ffn-hidden": "FFN",
    "residual-after-ffn": "FFN 뒤 잔차",
    logits: "로짓",
  },
  first: "← 처음",

  margins: {
    heading: "선택마다 얼마나 아슬아슬했을까?",
    explained: (pair) =>
      `토큰마다 ${pair} 격차입니다. ●는 콜드, ◆는 웜입니다. 빗금 띠는 두 실행 사이에 격차가 움직인 만큼 0의 위아래로 뻗습니다. ` +
      "띠 안의 격차는 그 움직임보다 작습니다. 점선은 로짓의 가장 큰 변화의 두 배(2ε)이고, 이 선을 넘는 격차는 뒤집힐 수 없습니다. " +
      "높이는 잡음이 있는 0 근처에서 늘려 그리고 멀리서는 눌러 그렸으니, 길이가 아니라 수치를 읽으세요.",
    label: (pair, from, to) => `${pair} 격차, 토큰 ${from}부터 ${to}까지. 수치는 아래 표에 있습니다`,
    saved: (pair, from, to) => `${pair} 격차, 토큰 ${from}부터 ${to}까지`,
    asTable: "이 수치를 표로, 토큰마다 뒤집힐 확률과 함께",
    token: "토큰",
    cold: "콜드 실행",
    warm: "웜 실행",
    driftKey: "격차가 움직인 폭",
    safeKey: "안전선(2ε): 넘으면 뒤집히지 않음",
    coldLead: "격차, 콜드",
    warmLead: "격차, 웜",
    drift: "격차가 움직인 폭",
    gap: "1위와 2위의 격차, 콜드",
    largestChange: "로짓의 가장 큰 변화(ε)",
    safe: "안전선(2ε)",
    risk: "뒤집힐 확률",
  },

  cache: {
    heading: "웜 실행은 무엇을 재사용했을까?",
    explained:
      "마지막으로 재사용한 위치와 처음 계산한 위치 사이의 이음매에서 덧셈의 모양이 바뀝니다. 재사용한 곳의 빗금은 쓴 단계의 크기마다 다릅니다.",
    positions: (from, to) => (from === to ? `위치 ${from}` : `위치 ${from}–${to}`),
    reused: "재사용",
    computed: "계산",
    hadBeenWritten: (rows) => `${count(rows)}행 단계에서 썼던 것`,
    written: (rows) => `${count(rows)}행 단계에서 씀`,
    label: (reused, of) => `캐시 안의 프롬프트: 위치 ${of}개 중 ${reused}개 재사용`,
    seam: "이음매: 여기서부터 계산",
    block: (number, from, to) => `블록 ${number}, 위치 ${from}–${to}:`,
  },

  heat: {
    heading: "캐시는 어디가 다를까?",
    sides: { k: "키", v: "값" },
    explained: (side, measure) =>
      `한 칸이 레이어 하나(세로)와 위치 하나(가로)입니다. 캐시에 담긴 ${side === "k" ? "키를" : "값을"} 이렇게 잽니다: ${measure}. ` +
      "점은 모든 비트가 같다는 뜻입니다. 화살표 키로 커서를 움직입니다.",
    stepsOfFormat: (kv_format) => `캐시 형식 ${kv_format}의 간격`,
    representable: "표현 가능한 수의 간격(ulp)",
    unit: (kv_format) => `${kv_format} 간격`,
    whatIsShown: "보여 줄 것",
    measure: "재는 방법",
    metrics: { steps: "가장 큰 차이", share: "다른 값의 비율", relative_l2: "상대 L2" },
    measures: {
      steps: (unit) => `두 수 사이의 가장 큰 차이(단위: ${unit})`,
      share: () => "비트가 하나라도 다른 수의 비율",
      relative_l2: () => "차이 벡터의 길이를 콜드 실행 벡터의 길이로 나눈 값",
    },
    number: (metric, value, unit) => {
      if (metric === "steps") return unit ? `${count(value)} ${unit}` : count(value);
      if (metric === "share") return `${(100 * value).toFixed(0)}%`;
      return value === 0 ? "0" : value.toExponential(1);
    },
    axes: { layer: "레이어", position: "위치", fork: "갈라짐" },
    label: (side, layers, positions, where, largest) =>
      `${side}: 레이어 ${layers}개, 위치 ${positions}개, ${where && `${where}에서 `}최대 ${largest}. 커서가 있는 칸은 아래에, 전체는 표에 있습니다`,
    cell: (layer, position) => `레이어 ${layer}, 위치 ${position}`,
    reused: "재사용",
    computed: "계산",
    everyBitEqual: "모든 비트가 같음",
    differ: (distance, share, relative) => `가장 큰 차이 ${distance}, 다른 수 ${share}, 상대 L2 ${relative}`,
    equal: "같음",
    orMore: (number) => `${number} 이상`,
    below: (number) => `${number} 미만`,
    asTable: (side, measure) => `${side} 표로 보기: ${measure}`,
  },

  shapes: {
    heading: "어떤 모양으로 계산해도 그대로일까?",
    explained:
      "프롬프트를 다른 크기로 나누고, 다른 길이만큼 재사용하고, 다른 시퀀스와 함께 실행하면서, 토큰마다 로짓을 기본 콜드 실행과 비트 단위로 비교합니다.",
    begin: "모든 모양 확인하기",
    tried: (done, of) => `실행 ${of}번 중 ${done}번 끝남 …`,
    first: "기본 실행 …",
    progress: "해 본 모양",
    nothingKnown: "알 수 있는 것이 나오기 전에 멈췄습니다.",
    holds: (shapes, tokens) =>
      `이 기기에서 주장 단계 L2가 성립합니다. ${shapes}가지 모양 모두 기본 실행과 비트가 같습니다(각각 ${format.tokens(tokens)}).`,
    luck: (shapes) =>
      `${shapes}가지 모양 모두 기본 실행과 비트가 같습니다. 모양에 따른 순서에서는 이 프롬프트가 우연히 그랬을 뿐 규칙이 아니므로 주장하지 않습니다.`,
    noRoom: (shapes) =>
      `${shapes}가지 모양 모두 기본 실행과 비트가 같지만, 이 프롬프트로는 모든 종류의 모양을 해 볼 수 없어 주장하지 않습니다.`,
    differ: (differing, shapes) => `${shapes}가지 모양 중 ${differing}가지가 기본 실행과 비트가 다릅니다.`,
    stopped: (shapes) => `모양 ${shapes}가지를 해 보고 멈췄습니다. 주장하지 않습니다.`,
    asTable: "모든 모양을 표로 보기",
    chunk: "한 단계의 행",
    reused: "재사용한 토큰",
    neighbours: "다른 시퀀스",
    outcome: "기본 실행과 비교",
    equal: "= 비트 같음",
    other: (token) => `≠ ${token}번째 토큰부터 다름`,
  },

  noise: {
    heading: "잡음일까, 손상일까?",
    explained:
      "처음 몇 토큰을 다시 실행해 웜 실행의 캐시를 콜드 실행의 캐시와 견줍니다. 반올림이 콜드 실행을 얼마나 움직이는지는 바로 이 프롬프트에서, 더 정밀한 연산과 비교해 잽니다.",
    begin: "반올림과 견주어 보기",
    first: "다시 실행하는 중 …",
    computed: (tokens) => `${format.tokens(tokens)} 계산함 …`,
    progress: "캐시를 반올림과 견주는 중",
    nothingKnown: "알 수 있는 것이 나오기 전에 멈췄습니다.",
    isNoise: (times) =>
      `잡음입니다. 웜 실행의 캐시는 어디서도 콜드 실행에서 반올림의 ${times}배보다 멀지 않습니다.`,
    isCorrupt: (times, layer, tensor, position) =>
      `손상입니다. ${layer === null ? "" : `레이어 ${layer}, `}위치 ${position}의 ${TENSORS[tensor]} 값이 반올림의 ${times}배만큼 떨어져 있습니다. 반올림으로는 그렇게 되지 않습니다.`,
  },

  twin: {
    heading: "다른 기기에서도 같을까?",
    explained:
      "실행마다 처음 네 토큰을 이 기기와 CPU 트윈 커널에서 계산해 비트 단위로 비교합니다. 모델 파일을 한 번 더 읽으며, 이 브라우저에 보관되어 있으면 거기서 " +
      "읽습니다. 트윈과 비트가 같은 기기끼리는 서로도 같습니다.",
    begin: "CPU 트윈과 비교하기",
    first: "트윈이 모델을 읽는 중 …",
    computed: (tokens) => `양쪽 합쳐 ${format.tokens(tokens)} 계산함 …`,
    progress: "CPU 트윈과 비교하는 중",
    holds: (tokens) =>
      `이 기기에서 주장 단계 L4가 성립합니다. ${format.tokens(tokens)} 모두 CPU 트윈과 비트가 같습니다.`,
    differs: (run, token) => `${run} 실행의 ${token}번째 토큰에서 로짓이 트윈과 다릅니다. 주장하지 않습니다.`,
    notClaimed: (reason) => `주장하지 않음: ${reason}.`,
  },

  orders: {
    heading: "어느 곳의 순서 때문일까?",
    explained:
      "스위치 하나가 모델 안에서 수를 더하는 자리 하나이고, 순전파 순서대로 놓여 있습니다. 행이 몇 개든 한 순서로 더하게 하거나 모양에 따르게 해 보세요. " +
      "그때마다 프롬프트를 콜드와 웜으로 실행합니다.",
    legend: "켜면 한 순서(고정), 끄면 모양에 따라 더합니다.",
    places: {
      attn_qkv: "QKV 곱",
      attention: "어텐션",
      attn_output: "어텐션 출력",
      ffn_gate_up: "게이트와 업",
      ffn_down: "다운",
      output: "출력 헤드",
    },
    meanings: {
      attn_qkv: "토큰마다 무엇을 찾고, 내놓고, 넘겨줄지 구합니다.",
      attention: "토큰마다 앞의 토큰들을 살펴봅니다.",
      attn_output: "거기서 본 것을 토큰의 값에 더합니다.",
      ffn_gate_up: "토큰을 하나씩 다루는 넓은 층으로 들어갑니다.",
      ffn_down: "그 층에서 나온 값을 토큰의 값에 더합니다.",
      output: "어휘의 모든 토큰에 점수를 매깁니다.",
    },
    invariant: "한 순서.",
    byShape: "모양에 따라.",
    setAllByShape: "모두 모양에 따라",
    setAllInvariant: "모두 한 순서로",
    allByShape: "모두 모양에 따라",
    allInvariant: "모두 한 순서로",
    invariantAt: (places) => `한 순서: ${places}, 나머지는 모양에 따라`,
    untried: (choice) => `아직 실행하지 않음 — ${choice}`,
    run: "이대로 실행하기",
    running: (choice) => `콜드와 웜 실행 중 — ${choice} …`,
    progress: "이 조합으로 콜드와 웜 실행 중",
    chosen: (choice) => `콜드와 웜 — ${choice}:`,
    tried: "지금까지 해 본 조합",
    choice: "조합",
    outcome: "콜드와 웜",
    outcomes: {
      equalBits: (tokens) => `= 비트 같음, ${format.tokens(tokens)}`,
      otherBits: (number, tokens) => `≠ ${number}번째 토큰부터 비트 다름, ${tokens}개 안에 갈라짐 없음`,
      fork: (number) => `Y ${number}번째 토큰에서 갈라짐`,
    },
  },

  ablation: {
    heading: "자리마다 하나씩.",
    explained:
      "덧셈 순서를 자리 하나, 자리 묶음, 전체에서 고정하거나 모양에 따르게 하는 조합마다 프롬프트를 콜드와 웜으로 한 번씩 실행합니다.",
    begin: "모두 해 보기",
    tried: (done, of) => `순서 조합 ${of}가지 중 ${done}가지를 해 봄 …`,
    first: "첫 번째 순서 조합 …",
    progress: "해 본 순서 조합",
    nothingKnown: "알 수 있는 것이 나오기 전에 멈췄습니다.",
    changed: "바꾼 곳",
    madeInvariant: "이곳만 고정, 나머지는 모양에 따라",
    madeByShape: "이곳만 모양에 따라, 나머지는 고정",
    nothing: "없음",
    groups: {
      "attention block": "어텐션 블록",
      "feed-forward": "피드포워드",
      "all matrix products": "모든 행렬 곱",
      all: "전체",
    },
    nothingToTakeAway: "모든 자리가 모양에 따라도 콜드와 웜의 비트가 같습니다. 더 밝힐 것이 없습니다.",
    stoppedAfter: (groups) => `자리 묶음 ${groups}개까지 보고 멈췄습니다. 아직 결론을 내릴 수 없습니다.`,
    noSingle: "해당하는 자리 없음",
    nothingTried: "시도한 것 가운데 없음",
    finding: (causes, forks, removes) =>
      `한 곳만 모양에 따르게 해도 비트가 달라지는 자리: ${causes}. 그 가운데 답까지 갈라지는 자리: ${forks}. ` +
      `비트를 다시 같게 하려면 순서를 고정해야 하는 곳: ${removes}.`,
  },
};
