// What Why shows before there is a comparison of a visitor's own, and where there can be none: the recorded fork, taken apart.
import { DissectionFound } from "./dissection-found";
import { messages } from "./language";
import { useRecordedDissection, useRecordedFork } from "./recorded";
import { whyWords } from "./why-words";

export function RecordedWhy({ onTell }: { onTell: (words: string) => void }) {
  const why = whyWords.value;
  const { prompt, verdict } = messages.value;
  const fork = useRecordedFork(true);
  const dissection = useRecordedDissection(true);
  if (fork === "unreadable" || dissection === "unreadable") return <p>{why.recordedUnreadable}</p>;
  if (fork === "loading" || dissection === "loading") return <p>{why.recordedLoading}</p>;
  const asked = fork.request.prompt;
  return (
    <section class="panel why" aria-labelledby="recorded-why-heading">
      <div class="recorded-head">
        <h2 id="recorded-why-heading">{verdict.recorded}</h2>{" "}
        <p class="question">
          <span class="label">{prompt.message}</span>{" "}
          <span lang="en">{asked.kind === "chat" ? asked.user : asked.text}</span>
        </p>
      </div>
      <p class="hint">
        {verdict.recordedBy(dissection.device.driver)} {why.recordedIs}
      </p>
      <DissectionFound dissection={dissection} comparison={fork.comparison} goBeyond={null} onTell={onTell} />
    </section>
  );
}
