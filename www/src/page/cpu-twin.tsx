// Without a GPU: the offer to run on the CPU twin of the kernels, and the words for what then computes.
interface CpuTwinOfferProps {
  /** Of the file that would be loaded. */
  size: string;
  canRun: boolean;
  onAccept: () => void;
}

/** The numbers were measured in Chromium, on one core of the machine that the tests run on. */
export function CpuTwinOffer({ size, canRun, onAccept }: CpuTwinOfferProps) {
  return (
    <section class="offer" aria-labelledby="offer-heading">
      <h2 id="offer-heading">The same comparison without a GPU</h2>
      <p>
        Every kernel here has a twin on the CPU that adds in the same order and rounds alike. The twins are
        written for exactness, not for speed: where this was measured, they read about ten tokens a second and
        wrote three to four, which is half a minute for a short prompt and three answers of 16 tokens. The
        format half takes six times as long. The model is the same, {size} to take in.
      </p>
      <button type="button" class="primary" onClick={onAccept} disabled={!canRun}>
        Run it on the CPU: slow, same arithmetic
      </button>
    </section>
  );
}

export function CpuTwinWords() {
  return (
    <>
      the <strong>CPU twin</strong>
      <span class="note"> · no GPU: slow, same arithmetic</span>
    </>
  );
}

/** Stands above what the twin computed, also when the page has found a GPU since. */
export function CpuTwinNote() {
  return <p class="hint">Computed on the CPU, by the twins of the kernels; no GPU took part.</p>;
}
