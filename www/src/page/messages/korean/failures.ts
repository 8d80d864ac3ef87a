// What every failure is called, what still works, and what the button below it says, in Korean.
import type { Messages } from "../../language";
import { failuresInGeneral } from "../failures-in-korean";

const ELSEWHERE =
  "이 페이지를 읽을 수 있고, 아래의 비교를 CPU로 실행할 수 있습니다. 브라우저 없이도 됩니다. lastbit compare 명령은 " +
  "Vulkan, Metal, DirectX를 직접 씁니다.";
const PAGE_KEPT = "지금까지 나온 내용과 입력한 프롬프트, 설정은 페이지에 그대로 남습니다.";
const MODEL_STAYS = `모델은 불러온 그대로입니다. ${PAGE_KEPT}`;
const THROWN_AWAY = `받은 내용은 실행하기 전에 모두 버렸습니다. ${PAGE_KEPT}`;
const OTHER_KERNELS = "다른 형식이나 다른 덧셈 순서는 다른 커널을 씁니다.";

export const failures: Messages["failures"] = {
  whatHappened: "무슨 일인가",
  whatStillWorks: "그래도 되는 것",
  whatToDo: "해 볼 것",
  code: "코드",
  dismiss: "닫기",
  tryAgain: "다시 시도",
  inGeneral: failuresInGeneral,
  restartBrowser: failuresInGeneral["device-gone"].to_do,

  ofAny: {
    "no-webgpu": {
      title: "이 브라우저에는 WebGPU가 없습니다",
      still_works: ELSEWHERE,
      next_label: "다시 확인",
    },
    "insecure-origin": {
      title: "이 주소에서는 WebGPU가 꺼져 있습니다",
      still_works: ELSEWHERE,
      next_label: "다시 확인",
    },
    "no-adapter": {
      title: "쓸 수 있는 GPU가 없습니다",
      still_works: ELSEWHERE,
      next_label: "다시 확인",
    },
    "device-refused": {
      title: "GPU가 요청을 거절했습니다",
      still_works: ELSEWHERE,
      next_label: "GPU 다시 시작",
    },
    "device-lost": {
      title: "GPU와 연결이 끊겼습니다",
      still_works: PAGE_KEPT,
      next_label: "GPU를 다시 시작하고 모델 불러오기",
    },
    "device-gone": {
      title: "GPU와 연결이 두 번 끊겼습니다",
      still_works: PAGE_KEPT,
      next_label: "GPU를 다시 시작하고 모델 불러오기",
    },
    "engine-crashed": {
      title: "엔진이 멈췄습니다",
      still_works: PAGE_KEPT,
      next_label: "엔진을 다시 시작하고 모델 불러오기",
    },
    "out-of-memory": {
      title: "GPU 메모리가 부족합니다",
      still_works: `${PAGE_KEPT} int8과 float 형식은 캐시가 f32의 절반이면 되고, 토큰 수를 줄이면 더 적게 듭니다.`,
      next_label: "GPU를 다시 시작하고 모델 불러오기",
    },
    "shader-failed": {
      title: "이 장치에서 컴파일되지 않는 커널이 있습니다",
      still_works: `${PAGE_KEPT} ${OTHER_KERNELS}`,
      next_label: "아래 설정으로 다시 불러오기",
    },
    "self-test-failed": {
      title: "이 장치에서 틀린 수를 계산하는 커널이 있습니다",
      still_works: `그 커널로는 아무것도 실행하지 않았으므로 틀린 결과는 나오지 않았습니다. ${PAGE_KEPT} ${OTHER_KERNELS}`,
      next_label: "아래 설정으로 다시 불러오기",
    },
    "hash-mismatch": {
      title: "받은 파일이 그 모델이 아닙니다",
      still_works: THROWN_AWAY,
      next_label: "다시 받기",
    },
    "bad-file": {
      title: "모델 파일을 읽을 수 없습니다",
      still_works: THROWN_AWAY,
      next_label: "다시 받기",
    },
    "download-cut": {
      title: "다운로드가 끊겼습니다",
      still_works: "받은 부분은 남아 있고, 다음 시도는 그다음부터 이어집니다.",
      next_label: "이어서 받기",
    },
    "download-cancelled": {
      title: "다운로드를 멈췄습니다",
      still_works: "받은 부분은 남아 있고, 다음 시도는 그다음부터 이어집니다.",
      next_label: "이어서 받기",
    },
    "download-http": {
      title: "서버가 파일을 주지 않습니다",
      still_works: PAGE_KEPT,
      next_label: "다시 받아 보기",
    },
    "download-network": {
      title: "모델을 받을 수 없었습니다",
      still_works: "받은 부분이 있으면 남아 있고, 다음 시도는 그다음부터 이어집니다.",
      next_label: "다시 받아 보기",
    },
    "bad-request": {
      title: "이 설정으로는 실행할 수 없습니다",
      still_works: MODEL_STAYS,
      next_label: "다시 실행",
    },
    "run-failed": { title: "비교가 중단되었습니다", still_works: MODEL_STAYS, next_label: "다시 실행" },
    "context-full": {
      title: "프롬프트가 이 모델에는 너무 깁니다",
      still_works: MODEL_STAYS,
      next_label: "다시 실행",
    },
    unknown: {
      title: "이 페이지가 달리 설명할 수 없는 문제가 생겼습니다",
      still_works: PAGE_KEPT,
      next_label: "엔진 다시 시작",
    },
  },

  ofOwn: {
    "bad-file": {
      title: "이 파일은 쓸 수 없습니다",
      still_works: `이 파일에서는 아무것도 남기지 않았습니다. ${PAGE_KEPT}`,
      next_label: "다른 파일 고르기",
    },
    "unknown-pre-tokenizer": {
      title: "이 파일의 사전 토크나이저를 알지 못합니다",
      still_works: PAGE_KEPT,
      next_label: "그래도 불러오기",
    },
    "file-changed": {
      title: "고른 뒤에 파일이 바뀌었습니다",
      still_works: PAGE_KEPT,
      next_label: "다시 고르기",
    },
    "bad-address": {
      title: "이 주소는 쓸 수 없습니다",
      still_works: PAGE_KEPT,
      next_label: "다른 주소 입력",
    },
  },

  badAddress: (typed) =>
    `“${typed}”에서는 모델을 받을 수 없습니다. https 주소나 이 사이트 안의 경로만 됩니다.`,
  addressWithPassword:
    "주소에 사용자 이름이나 비밀번호가 들어 있습니다. 브라우저는 이를 보내지 않고 이 페이지도 보관하지 않으므로, 아무 서버에도 요청하지 않았습니다.",
  typeAddress: "https://example.org/model.gguf 처럼 파일 자체의 주소를 입력하세요.",
};
