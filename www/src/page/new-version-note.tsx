// A new version of the page waits for the old one to be closed.
import { messages } from "./language";
import { newVersion, takeNewVersion } from "./offline";

export function NewVersionNote() {
  const { models } = messages.value;
  if (newVersion.value === "none") return null;
  return (
    <div class="note-box">
      <p>{models.newVersion}</p>
      {newVersion.value === "held-up-by-other-tabs" && <p>{models.heldUp}</p>}
      <button type="button" class="quiet" onClick={() => void takeNewVersion()}>
        {models.reload}
      </button>
    </div>
  );
}
