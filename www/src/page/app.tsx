// The views. Run stays alive under the others: a comparison goes on while a person reads elsewhere.

import { useEffect, useMemo } from "preact/hooks";
import type { ModelSource } from "../shared/protocol";
import { isDropping } from "./drop";
import type { NextStep } from "./failures";
import type { Form } from "./form";
import { messages } from "./language";
import { later } from "./later";
import { StoredModels } from "./models/stored-models";
import { openPicker } from "./picker-wish";
import { RunView, whyNotNow } from "./run-view";
import type { Session } from "./session";
import { listenForShortcuts } from "./shortcuts";
import { SHORTCUTS_DIALOG_ID } from "./shortcuts-dialog";
import { CURSOR_ID } from "./token-cursor";
import { address, isLocked, show } from "./views";

const WhyView = later(() => import("./why-view").then((module) => module.WhyView));

const ModelsView = later(() => import("./models/models-view").then((module) => module.ModelsView));

const LessonView = later(() => import("./lesson/lesson-view").then((module) => module.LessonView));

interface AppProps {
  session: Session;
  form: Form;
}

export function App({ session, form }: AppProps) {
  const load = () => session.load(form.formats.value, form.order.value);
  const run = () => session.run(() => form.inputs());
  const choose = (source: ModelSource, loadAnyway = false) =>
    session.choices.choose(source, form.formats.value, loadAnyway);
  /** What was refused once more; a person who wants it anyway has said enough for the load as well. */
  const chooseAgain = async (loadAnyway: boolean) => {
    const choice = session.choice.value;
    if (choice.kind !== "refused" || !(await choose(choice.source, loadAnyway))) return;
    if (loadAnyway && session.selection.value.checked?.check.fit.fits) await load();
  };
  const next = async (step: NextStep) => {
    switch (step) {
      case "check-gpu":
        return session.checkGpu();
      case "load-model":
        return session.loadAgain(form.formats.value, form.order.value);
      case "restart-and-load":
        await session.restart();
        if (session.adapter.value.kind !== "found") return;
        return session.loadAgain(form.formats.value, form.order.value);
      case "run-again":
        return run();
      case "choose-another":
        return openPicker();
      case "check-again":
      case "load-anyway":
        return chooseAgain(step === "load-anyway");
    }
  };
  useEffect(() => {
    listenForShortcuts((shortcut) => {
      if (isLocked.value && shortcut !== "stop") return;
      switch (shortcut) {
        case "help":
          return openDialog(SHORTCUTS_DIALOG_ID);
        case "run":
          // A key must not begin a download, nor anything out of sight.
          if (address.value.view !== "run") return show("run");
          if (whyNotNow(session, form) !== null || session.model.value.kind !== "ready") return;
          return void run();
        case "stop":
          return session.stop();
        case "fork":
          return goToFork(session);
        case "why":
          return show("why");
      }
    });
  }, []);
  const stored = useMemo(() => new StoredModels(), []);
  const { failure, storageNews } = session.loads;
  // What is stored changes with every load.
  useEffect(() => {
    void stored.look(session.builtIn.url);
  }, [session.model.value.kind, storageNews.value, failure.value]);
  const { view } = address.value;
  return (
    <>
      {isDropping.value && !isLocked.value && <p class="drop-target">{messages.value.choice.drop}</p>}
      <p class="status" role="status">
        {session.status.value}
      </p>
      <div hidden={view !== "run"}>
        <RunView session={session} stored={stored} form={form} onLoad={load} onRun={run} onNext={next} />
      </div>
      {view === "why" && <WhyView session={session} onNext={next} />}
      {view === "models" && (
        <ModelsView
          session={session}
          stored={stored}
          form={form}
          onLoad={load}
          onChoose={choose}
          onNext={next}
        />
      )}
      {view === "lesson" && <LessonView session={session} onNext={next} />}
    </>
  );
}

function openDialog(id: string): void {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
}

/** Where there is a fork, the token cursor goes there, in the view in which it is. */
function goToFork(session: Session): void {
  show("run");
  session.comparisons.cursor.value = null;
  requestAnimationFrame(() => document.getElementById(CURSOR_ID)?.focus());
}
