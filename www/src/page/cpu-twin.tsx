// Without a GPU: the offer to run on the CPU twin of the kernels, and the words for what then computes.
import { messages } from "./language";

interface CpuTwinOfferProps {
  /** Of the file that would be loaded. */
  size: string;
  canRun: boolean;
  onAccept: () => void;
}

export function CpuTwinOffer({ size, canRun, onAccept }: CpuTwinOfferProps) {
  const { offer } = messages.value.load;
  return (
    <section class="offer" aria-labelledby="offer-heading">
      <h2 id="offer-heading">{offer.heading}</h2>
      <p>{offer.text(size)}</p>
      <button type="button" class="primary" onClick={onAccept} disabled={!canRun}>
        {offer.accept}
      </button>
    </section>
  );
}

export function CpuTwinWords() {
  const { load } = messages.value;
  return (
    <>
      <strong>{load.twin}</strong>
      <span class="note"> · {load.twinNote}</span>
    </>
  );
}

/** Stands above what the twin computed, also when the page has found a GPU since. */
export function CpuTwinNote() {
  return <p class="hint">{messages.value.load.offer.note}</p>;
}
