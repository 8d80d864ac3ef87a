// Models: what this browser keeps of them, and how a load uses it, in Korean.
import { bytes } from "../../format";
import type { Messages } from "../../language";

const room = (needs: number | null, free: number | null) => {
  const needed = needs === null ? "" : ` 모델에 ${bytes(needs)}가 필요`;
  // A browser over its quota may still say that there is room.
  const isPlausible = free !== null && (needs === null || free < needs);
  if (!isPlausible) return needed === "" ? "" : `${needed}합니다.`;
  const left = bytes(Math.max(0, free));
  return needed === "" ? ` 남은 공간은 ${left}입니다.` : `${needed}하고 남은 공간은 ${left}입니다.`;
};

export const models: Messages["models"] = {
  another: "다른 모델",
  loaded: (title) => `${title}: 불러왔습니다.`,
  toRun: "비교로 이동",

  builtIn: "이 페이지에 포함된 모델이고, 이 페이지의 자체 검사도 이 모델로 합니다.",
  licence: "라이선스",
  builtInLicence: "Apache-2.0 (파일에 적힌 그대로), 제작 HuggingFaceTB",
  state: "이 브라우저에",
  notKeptYet: "아직 없음",
  isLoaded: "불러옴",
  download: (size) => `다운로드하고 불러오기 · ${size}`,
  downloadAgain: "다시 다운로드",
  loadKept: "이 브라우저에서 불러오기",
  resume: (have, total) =>
    total === null ? `이어받기 · ${have} 있음` : `이어받기 · ${total} 중 ${have} 있음`,
  remove: (title) => `${title} 삭제`,
  deleted: "삭제했습니다. 공간이 다시 비었습니다",
  inUse: "지금 이 탭이나 다른 탭에서 읽거나 쓰고 있습니다. 끝난 뒤에 다시 시도하세요.",
  needsProcessor: "여기에는 GPU가 없습니다. CPU로 대신할 수 있습니다. 느리지만 계산은 같습니다.",
  useCpu: "CPU 사용",

  storedHeading: "이 브라우저에 보관된 모델",
  unnamed: (id) => `알 수 없는 모델 ${id}`,
  verified: (when) => `전체, ${when}에 해시 확인`,
  incomplete: (n_bytes) => `미완성: 앞부분 ${n_bytes}바이트`,
  incompleteParts: (n_bytes, count) => `미완성: 조각 ${count}개 중 ${n_bytes}바이트만 있습니다`,
  hashOfPart: (number) => `조각 ${number}의 SHA-256`,
  gone: "없음: 브라우저가 전부 또는 일부를 지웠습니다",
  needsCheck: (size) =>
    `확인 필요: 기록이 손상되었거나 없거나, 이 페이지의 더 새로운 버전이 쓴 것입니다 (${size})`,
  nothingKept: "보관된 모델이 아직 없습니다. 네트워크로 받은 모델은 한 번 불러오면 보관됩니다.",
  noStorage:
    "이 브라우저는 이 창에서 파일을 보관하지 못합니다. 시크릿 창이거나 https가 아닌 주소일 수 있습니다. 모든 기능은 그대로 쓸 수 있고, 다음에 방문할 때 다시 다운로드할 뿐입니다.",
  room: (size) => `모델이 차지하는 공간은 ${size}입니다.`,
  ofQuota: (used, quota) =>
    `브라우저의 추정으로는 이 사이트 전체가 허용된 ${quota} 중 ${used}를 쓰고 있습니다.`,
  roomLabel: "이 사이트가 쓰는 저장 공간",
  persistent: "직접 삭제할 때까지 브라우저가 보관합니다.",
  mayBeCleared: "공간이 부족하면 브라우저가 지울 수 있습니다. 그러면 모델을 다시 다운로드합니다.",
  offlineHeading: "네트워크 없이",
  offline: {
    nothing: "이 브라우저에서는 네트워크가 있어야 페이지가 열립니다.",
    reading:
      "첫 보기와 기록된 실행은 네트워크 없이도 열립니다. 다른 보기와 엔진은 엔진을 한 번 쓰고 나면 보관됩니다. 지금 바로 보관할 수도 있습니다.",
    views:
      "모든 보기가 네트워크 없이도 열립니다. 계산에는 엔진이 필요하며, 엔진은 한 번 쓰고 나면 보관됩니다. 지금 바로 보관할 수도 있습니다.",
    everything:
      "모든 보기와 엔진이 네트워크 없이도 열립니다. 비교하려면 위에 보관된 모델이나 직접 고른 파일이 더 필요합니다.",
  },
  keepOffline: "오프라인용으로 보관",
  partMissing: "페이지의 이 부분은 이 브라우저에 보관되어 있지 않고, 네트워크도 없습니다.",
  partReplaced:
    "이 페이지의 새 버전이 나와, 이전 버전의 이 부분은 없어졌습니다. 새로 고치면 계속할 수 있습니다.",
  newVersion: "이 페이지의 새 버전이 준비되었습니다.",
  heldUp: "다른 탭에 아직 이전 버전이 열려 있습니다. 먼저 닫으세요.",
  reload: "새로 고침",
  whatIsWhere: "무엇이 어디에 보관되는가",
  places: [
    "다운로드한 모델: 내 문서가 아니라 이 사이트의 전용 파일 공간(OPFS)에 있습니다.",
    "언어, 색상, 단축키 설정: 이 브라우저의 로컬 저장소에 있습니다.",
    "오프라인에서도 열리도록 페이지 자체: 이 브라우저의 캐시에 있습니다.",
    "직접 고른 파일은 원래 자리에 그대로 있고, 복사하지 않습니다.",
    "새로 고쳐도 남도록 ‘실행’의 프롬프트와 설정: 이 탭 안에만 있고, 탭을 닫으면 없어집니다.",
    "그 밖에는 없습니다. 답변도 결과도 저장하지 않고, 아무것도 보내지 않습니다.",
  ],

  fromStorage: "이 브라우저에 보관된 것을 읽습니다. 서버에는 요청하지 않습니다.",
  continued: (n) => `지난번에 받은 ${bytes(n)}가 남아 있어 나머지만 다운로드합니다.`,
  kept: "다음 방문을 위해 모델을 이 브라우저에 보관했습니다.",
  notKept: {
    "no-storage": () =>
      "이 브라우저는 이 창에서 파일을 보관하지 못합니다. 그래서 다음에 방문하면 모델을 다시 다운로드합니다.",
    "other-tab": () => "이 페이지의 다른 탭이 이 모델을 다루고 있어서 여기서는 보관하지 않습니다.",
    full: (needs, free) =>
      `브라우저의 저장 공간이 가득 차서 모델을 다 보관하지 못합니다.${room(needs, free)} 불러오기는 계속됩니다.`,
    "needs-check": () =>
      "이 브라우저에 있는 이 모델의 기록을 읽을 수 없어서 덮어쓰지 않습니다. 새로 보관하려면 삭제하세요.",
  },
};
