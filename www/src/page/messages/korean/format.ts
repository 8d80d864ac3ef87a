// Numbers with their words, in Korean.
import { count, stretchesOf, timeOf } from "../../format";
import type { Messages } from "../../language";

const MOST_STRETCHES = 4;

export const format: Messages["format"] = {
  tokens: (n) => `토큰 ${count(n)}개`,
  token: (number) => `${number}번째 토큰`,

  duration: (ms) => {
    const time = timeOf(ms);
    switch (time.unit) {
      case "ms":
        return `${time.value} ms`;
      case "s":
        return `${time.value}초`;
      case "min":
        return `${time.value}분 ${time.seconds}초`;
    }
  },

  tokenNumbers: (indices) => {
    const words = stretchesOf(indices);
    if (words.length > MOST_STRETCHES) {
      return `${(indices[0] ?? 0) + 1}번째를 비롯한 토큰 ${count(indices.length)}개`;
    }
    return `${words.join(", ")}번째 토큰`;
  },

  parameters: (n) => {
    if (n >= 1e8) return `${(n / 1e8).toFixed(2)}억 개`;
    return `${Math.round(n / 1e4)}만 개`;
  },
};
