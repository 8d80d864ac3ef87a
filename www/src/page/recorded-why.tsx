// What Why shows before there is a comparison of a visitor's own, and where there can be none: the recorded fork, taken apart.
import { DissectionFound } from "./dissection-found";
import { messages } from "./language";
import { sourceOfRecord, useRecordedDissection, useRecordedFork } from "./recorded";
import type { BuiltInSource } from "./session-state";
import { whyWords } from "./why-words";

interface RecordedWhyProps {
  /** What the records were made with, where it is that file. */
  builtIn: BuiltInSource;
  onTell: (words: string) => void;
}

export function RecordedWhy({ builtIn, onTell }: RecordedWhyProps) {
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
      <DissectionFound
        dissection={dissection}
        comparison={fork.comparison}
        source={sourceOfRecord(fork, builtIn)}
        goBeyond={null}
        onTell={onTell}
      />
    </section>
  );
}
