// How much room this site takes in this browser, what the browser promises of it, and what is kept where.
import { bytes } from "../format";
import { messages } from "../language";
import { bytesOf, type Storage } from "./stored-models";

export function StorageSummary({ storage }: { storage: Storage }) {
  const { models } = messages.value;
  return (
    <>
      {storage.kind === "none" && <p class="note-box">{models.noStorage}</p>}
      {storage.kind === "here" && (
        <>
          {storage.models.length === 0 && <p>{models.nothingKept}</p>}
          <Room storage={storage} />
          <p>{storage.is_persistent ? models.persistent : models.mayBeCleared}</p>
        </>
      )}
      <h3>{models.whatIsWhere}</h3>
      <ul class="what-is-where">
        {models.places.map((place) => (
          <li key={place}>{place}</li>
        ))}
      </ul>
    </>
  );
}

function Room({ storage }: { storage: Extract<Storage, { kind: "here" }> }) {
  const { models } = messages.value;
  const { used_bytes, quota_bytes } = storage;
  const kept = bytesOf(storage.models);
  return (
    <>
      <p class="numbers" data-kept-bytes={kept}>
        {kept > 0 && models.room(bytes(kept))}{" "}
        {used_bytes !== null && quota_bytes !== null && models.ofQuota(bytes(used_bytes), bytes(quota_bytes))}
      </p>
      {used_bytes !== null && quota_bytes !== null && (
        <progress aria-label={models.roomLabel} value={used_bytes} max={quota_bytes} />
      )}
    </>
  );
}
