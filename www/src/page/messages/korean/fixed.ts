// The words of index.html in Korean, by their data-message.
export const fixed: Record<string, string> = {
  "nav-run": "실행",
  "nav-why": "왜",
};
