// Starts the page: reads its test parameters, asks for the GPU, draws.
import { effect, untracked } from "@preact/signals";
import { render } from "preact";
import type { Simulation } from "../shared/protocol";
import "../../style.css";
import { App } from "./app";
import { listenForDrops } from "./drop";
import { followFocus } from "./focus-heir";
import { Form } from "./form";
import { keepForm } from "./kept-form";
import { followLanguage, messages } from "./language";
import { Notes } from "./notes";
import { followOffline, keepEverything } from "./offline";
import { Preferences } from "./preferences";
import { Session } from "./session";
import type { BuiltInSource } from "./session-state";
import { StatusBar } from "./status-bar";
import { followTheme } from "./theme";
import { address, followAddress, isLocked, show } from "./views";

const FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf";
const MODEL: BuiltInSource = {
  kind: "built-in",
  title: "SmolLM2-135M-Instruct Q4_1",
  file_name: FILE_NAME,
  url: new URL(`models/${FILE_NAME}`, document.baseURI).href,
  len_bytes: 98_362_432,
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
};

/** ?gpu=off|lost|lost-twice, ?engine=crash and ?subgroups=off, for tests and for trying the page's failures. */
function simulationFrom(search: URLSearchParams): Simulation {
  const gpu = search.get("gpu");
  return {
    gpu: gpu === "off" || gpu === "lost" || gpu === "lost-twice" ? gpu : "real",
    engine: search.get("engine") === "crash" ? "crash" : "real",
    subgroups: search.get("subgroups") === "off" ? "off" : "auto",
  };
}

const session = new Session(MODEL, simulationFrom(new URLSearchParams(location.search)));
const form = new Form();

effect(() => {
  const adapter = session.adapter.value;
  if (adapter.kind === "found") form.suit(adapter.probe.software ? "software_gpu" : "gpu");
  if (adapter.kind === "failed") form.suit("cpu_twin");
});

effect(() => {
  if (session.model.value.kind === "loading") return;
  const { own, known } = session.loads.templateNames();
  untracked(() => form.offerTemplates([...own, ...known]));
});

/** Of the file that is loaded; what was chosen in its place changes nothing here. */
effect(() => {
  const model = session.model.value;
  const fileHasTemplate = model.kind !== "ready" || model.loaded.model.file_has_template;
  untracked(() => {
    if (fileHasTemplate !== form.fileHasTemplate.value) form.suitTemplate(fileHasTemplate);
  });
});

// Behind what takes a template away before any file was loaded.
keepForm(form);

messages.subscribe(() => {
  // What stands there was said in the language before.
  session.status.value = "";
});

effect(() => {
  const { view } = address.value;
  const { fixed, shell } = messages.value;
  // Tabs and readers tell the views apart by it.
  document.title = view === "run" ? shell.title : `${fixed[`nav-${view}`]} · ${shell.title}`;
});

let place = location.hash;
address.subscribe(() => {
  // What was said belongs to the view, or the step, before; but what goes on is still told.
  if (location.hash !== place && !session.isBusy.peek()) session.status.value = "";
  place = location.hash;
});

effect(() => {
  if (session.loads.storageNews.value?.kind === "kept") void navigator.storage.persist();
});

effect(() => {
  // Whoever has used an engine may want it without a network as well.
  if (session.model.value.kind === "ready" || session.lesson.hasAnswered.value) void keepEverything();
});

followTheme();
followAddress();
await followLanguage();
const preferences = document.getElementById("preferences");
if (preferences) render(<Preferences />, preferences);
const bar = document.getElementById("status-bar");
if (bar) render(<StatusBar session={session} form={form} />, bar);
const notes = document.getElementById("notes");
if (notes) render(<Notes session={session} form={form} />, notes);
const root = document.getElementById("app");
if (root) {
  render(<App session={session} form={form} />, root);
  followFocus(root);
}
listenForDrops((files) => {
  if (isLocked.value) return;
  show("models");
  void session.choices.choose({ kind: "files", files }, form.formats.value);
});
void session.checkGpu();
followOffline();
