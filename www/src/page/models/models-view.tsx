// The view Models: what can be loaded, what is kept in this browser, and where.
import { useEffect, useRef, useState } from "preact/hooks";
import type { StoredModel } from "../../shared/model-records";
import type { ModelSource } from "../../shared/protocol";
import { hashOf } from "../address";
import type { NextStep } from "../failures";
import type { Form } from "../form";
import { messages } from "../language";
import { LoadFailure } from "../load-failure";
import { ZeroNote } from "../load-panel";
import { LoadProgress } from "../load-progress";
import type { Session } from "../session";
import { titleOf } from "../sources";
import { storageWords } from "../storage-words";
import { BuiltInCard } from "./built-in-card";
import { ChoicePanel } from "./choice-panel";
import { OfflineSection } from "./offline-section";
import { SourcePicker } from "./source-picker";
import { SplitCard } from "./split-card";
import { StorageSummary } from "./storage-summary";
import { StoredCard } from "./stored-card";
import { isKept, type StoredModels, together } from "./stored-models";
import "./models.css";
import "./choice.css";

interface ModelsViewProps {
  session: Session;
  stored: StoredModels;
  form: Form;
  onLoad: () => Promise<boolean>;
  onChoose: (source: ModelSource) => Promise<boolean>;
  onNext: (step: NextStep) => void;
}

export function ModelsView({ session, stored, form, onLoad, onChoose, onNext }: ModelsViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  /** Id of what could not be deleted. */
  const [inUse, setInUse] = useState<string | null>(null);
  const look = () => {
    setInUse(null);
    void stored.look(session.builtIn.url);
  };
  // Another tab may have changed what is stored.
  useEffect(() => {
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const formats = form.formats.value;
  const isBusy = session.isBusy.value;
  const selection = session.selection.value;
  // Whether it fits depends on the formats.
  useEffect(() => void session.choices.checkAgain(formats), [formats, isBusy, selection]);

  const { models } = messages.value;
  const storage = stored.storage.value;
  const kept = storage.kind === "here" ? storage.models : [];
  const builtInId = stored.builtInId.value;
  const others = kept.filter(({ id }) => id !== builtInId);
  const remove = async (files: readonly StoredModel[]) => {
    const isGone = await stored.remove(files.map(({ id }) => id));
    look();
    setInUse(isGone ? null : (files[0]?.id ?? null));
    session.announce(isGone ? models.deleted : models.inUse);
    if (isGone) {
      // The button that was pressed goes with its card; the list that it was in stays.
      const isByKeyboard = document.activeElement?.matches(":focus-visible") ?? false;
      heading.current?.focus({ preventScroll: !isByKeyboard });
    }
  };
  const loadBuiltIn = () => {
    session.choices.chooseBuiltIn();
    void onLoad();
  };
  const loadUrl = async (url: string) => {
    if ((await onChoose({ kind: "url", url })) && session.selection.value.checked?.check.fit.fits)
      await onLoad();
  };
  return (
    <div class="models">
      {session.adapter.value.kind === "failed" ? (
        <WithoutGpu session={session} />
      ) : (
        <LoadFailure session={session} onNext={onNext} />
      )}
      <LoadNow session={session} stored={stored} />
      <ChoicePanel session={session} onLoad={() => void onLoad()} onNext={onNext} />
      <BuiltInCard
        session={session}
        kept={kept.find(({ id }) => id === builtInId) ?? null}
        isInUse={inUse !== null && inUse === builtInId}
        onLoad={loadBuiltIn}
        onDelete={(model) => void remove([model])}
      />
      <SourcePicker session={session} onChoose={(source) => void onChoose(source)} />
      <section aria-labelledby="stored-heading">
        <h2 id="stored-heading" ref={heading} tabIndex={-1}>
          {models.storedHeading}
        </h2>
        {others.length > 0 && (
          <ul class="model-list">
            {together(others).map((model) =>
              "parts" in model ? (
                <SplitCard
                  key={model.of}
                  split={model}
                  isInUse={model.parts[0]?.id === inUse}
                  isBusy={isBusy}
                  onLoad={(url) => void loadUrl(url)}
                  onDelete={() => void remove(model.parts)}
                />
              ) : (
                <StoredCard
                  key={model.id}
                  model={model}
                  isInUse={model.id === inUse}
                  isBusy={isBusy}
                  onLoad={(url) => void loadUrl(url)}
                  onDelete={() => void remove([model])}
                />
              ),
            )}
          </ul>
        )}
        <StorageSummary storage={storage} />
      </section>
      <OfflineSection />
    </div>
  );
}

/** A model is loaded into something; without a GPU that is the CPU, if a person wants it. */
function WithoutGpu({ session }: { session: Session }) {
  const { models } = messages.value;
  return (
    <div class="note-box">
      <p>{models.needsProcessor}</p>
      <button type="button" class="quiet" onClick={() => session.chooseCpuTwin()}>
        {models.useCpu}
      </button>
    </div>
  );
}

/** The load in progress, or what is loaded. */
function LoadNow({ session, stored }: Pick<ModelsViewProps, "session" | "stored">) {
  const { models } = messages.value;
  const model = session.model.value;
  const news = session.loads.storageNews.value;
  const isTwin = session.adapter.value.kind === "cpu-twin";
  // What was kept may have been deleted since.
  const isDeleted =
    news?.kind === "kept" && model.kind === "ready" && !isKept(stored.storage.value, model.selection.source);
  switch (model.kind) {
    case "absent":
      return null;
    case "loading":
      return <LoadProgress model={model} isTwin={isTwin} news={news} onStop={() => session.stop()} />;
    case "ready":
      return (
        <div class="load-line loaded-now">
          <p>
            <strong>{models.loaded(titleOf(model.selection))}</strong>
          </p>
          <a href={hashOf("run")}>{models.toRun}</a>
          {news !== null && !isDeleted && <p class="note">{storageWords(news)}</p>}
          <ZeroNote names={model.loaded.model.zero_matrices} />
        </div>
      );
  }
}
