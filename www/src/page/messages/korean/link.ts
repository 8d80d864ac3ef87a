// Links that set the page up, in Korean.
import type { Messages } from "../../language";

export const link: Messages["link"] = {
  copy: "링크 복사",
  copied: "링크를 복사했습니다. 입력만 담기며 결과는 담기지 않습니다.",
  copyByHand: "브라우저가 복사를 허용하지 않습니다. 아래 링크를 직접 복사하세요.",
  ownFileLeftOut: "직접 고른 파일은 링크에 담기지 않습니다. 링크를 여는 사람이 모델을 고릅니다.",
  opened: "링크에 담긴 설정으로 바꾸었습니다. 아직 아무것도 실행하거나 내려받지 않았습니다.",
  ignored: (names) => `알 수 없어서 제외한 항목: ${names}`,
  wantsModel: (url) => `이 링크는 다음 주소의 모델로 만들었습니다: ${url}`,
  readModel: "헤더 읽기",
  tooLong:
    "글이 너무 길어 링크에 담을 수 없습니다. 링크에는 64 KiB까지 담깁니다. 아무것도 복사하지 않았습니다.",
  noSuchView: (name) => `“${name}”(이)라는 보기는 없습니다. 실행 보기를 엽니다.`,
  modelRefused: "링크에 적힌 모델 주소에서는 이 페이지가 아무것도 받지 않습니다.",
  dismiss: "닫기",
};
