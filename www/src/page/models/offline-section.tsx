// What of the page opens without a network, and a button for the rest.
import { useSignal } from "@preact/signals";
import { messages } from "../language";
import { keepEverything, offline } from "../offline";

export function OfflineSection() {
  const { models } = messages.value;
  const isKeeping = useSignal(false);
  const keep = async () => {
    isKeeping.value = true;
    await keepEverything();
    isKeeping.value = false;
  };
  return (
    <section aria-labelledby="offline-heading" data-offline={offline.value}>
      <h2 id="offline-heading">{models.offlineHeading}</h2>
      <p>{models.offline[offline.value]}</p>
      {(offline.value === "reading" || offline.value === "views") && (
        <button type="button" class="quiet" disabled={isKeeping.value} onClick={() => void keep()}>
          {models.keepOffline}
        </button>
      )}
    </section>
  );
}
