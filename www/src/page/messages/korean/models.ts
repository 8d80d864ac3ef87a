// 모델: 이 브라우저에 보관한 것, 그리고 불러올 때 그것을 어떻게 쓰는지.
import { bytes } from "../../format";
import type { Messages } from "../../language";

const room = (needs: number | null, free: number | null) => {
  const needed = needs === null ? "" : ` 모델에 ${bytes(needs)}가 필요`;
  if (free === null) return needed === "" ? "" : `${needed}합니다.`;
  const left = bytes(Math.max(0, free));
  return needed === "" ? ` 남은 공간은 ${left}입니다.` : `${needed}하고 남은 공간은 ${left}입니다.`;
};

export const models: Messages["models"] = {
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
      "이 브라우저에 있는 이 모델의 기록을 읽을 수 없어서 덮어쓰지 않습니다. 새로 보관하려면 삭제하십시오.",
  },
};
