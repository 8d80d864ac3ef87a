// The real page with the real engine and model in headless Chromium, from the first visit to every failure.
//   LASTBIT_MODELS  folder with the model file (needed)      SHOTS  where screenshots go, default ../shots
// `node e2e/run.mjs WORD...` runs only the checks whose name has one of the words in it.
import { badInputChecks } from "./bad-inputs.mjs";
import { comparisonChecks } from "./comparisons.mjs";
import { deviceChecks } from "./devices.mjs";
import { downloadChecks } from "./downloads.mjs";
import { firstVisitChecks } from "./first-visit.mjs";
import { folders, launch, runAll, serve } from "./harness.mjs";
import { hostileChecks } from "./hostile.mjs";
import { injectedChecks } from "./injected.mjs";
import { languageChecks } from "./language.mjs";
import { lessonChecks } from "./lesson.mjs";
import { modelsChecks } from "./models.mjs";
import { ownAddressChecks } from "./own-addresses.mjs";
import { ownModelChecks } from "./own-models.mjs";
import { presentationChecks } from "./presentation.mjs";
import { setUpChecks } from "./set-up.mjs";
import { openLoaded } from "./steps.mjs";
import { whyChecks } from "./why.mjs";

if (!folders.models) {
  console.error("LASTBIT_MODELS must name the folder with the model file (make test sets it).");
  process.exit(2);
}

const gpu = await launch("gpu");
const server = await serve();
let shared = null;

/** One page with a loaded model, used by all checks that only run comparisons. */
async function loadedPage() {
  shared ??= await openLoaded(gpu, server.url);
  await shared.page.getByRole("link", { name: "Run", exact: true }).click();
  return shared;
}

/** Has the comparisons that follow use a page whose model a check has loaded. */
function keepLoaded(visit) {
  shared = visit;
}

await runAll({
  ...firstVisitChecks({ gpu, server }),
  ...comparisonChecks({ gpu, server, loadedPage, keepLoaded }),
  ...whyChecks({ gpu, server, loadedPage }),
  ...deviceChecks({ gpu, server }),
  ...downloadChecks({ gpu, server }),
  ...presentationChecks({ gpu, server }),
  ...languageChecks(gpu, server),
  ...setUpChecks({ gpu, server, loadedPage }),
  ...ownModelChecks(gpu, server),
  ...ownAddressChecks(gpu, server),
  ...modelsChecks(gpu, server),
  ...injectedChecks(gpu, server),
  ...hostileChecks(gpu),
  ...badInputChecks({ gpu, server, loadedPage }),
  ...lessonChecks(gpu, server),
});

await gpu.close();
server.close();
// A check that failed may have left a browser or a server open, which would keep this process.
process.exit();
