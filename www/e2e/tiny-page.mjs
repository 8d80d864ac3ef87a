// A page with the tiny model loaded: for what depends on no weights and would take minutes with the real ones.
import { open } from "./harness.mjs";
import { loadPicked, pickAndSee } from "./own-steps.mjs";
import { stage } from "./steps.mjs";
import { tinyFile } from "./tiny-model.mjs";

/** `templates` are names and sources of further chat templates, in turn. */
export async function tinyPage(browser, url, templates = []) {
  const visit = await open(browser, url);
  await stage(visit.page, "GPU", "done");
  await pickAndSee(visit.page, [tinyFile("tiny.gguf", 3, templates)]);
  await loadPicked(visit.page);
  return visit;
}
