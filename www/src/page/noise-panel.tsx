// Whether the warm run's cache is as far from a cold one as rounding takes it, or further: noise or corruption.
import type { Judgement } from "../shared/engine-records";
import type { NextStep } from "./failures";
import { count } from "./format";
import { InquiryPanel } from "./inquiry-panel";
import type { Session } from "./session";
import { whyWords } from "./why-words";

interface NoisePanelProps {
  session: Session;
  onNext: (step: NextStep) => void;
}

export function NoisePanel({ session, onNext }: NoisePanelProps) {
  const words = whyWords.value.noise;
  return (
    <InquiryPanel
      session={session}
      state={session.why.noise.value}
      words={words}
      running={(tokens) => ({ told: tokens === null ? words.first : words.computed(tokens) })}
      onBegin={() => session.why.judgeNoise()}
      onNext={onNext}
      wasStopped={(found) => found === null}
    >
      {(judgement) => (
        <p class="noise-judgement" data-judgement={judgement?.kind ?? "none"}>
          <strong>{words.heading}</strong> {judgementWords(judgement)}
        </p>
      )}
    </InquiryPanel>
  );
}

/** What the judgement came to, in a sentence. */
export function judgementWords(judgement: Judgement | null): string {
  const { noise } = whyWords.value;
  if (judgement === null) return noise.nothingKnown;
  const { times_rounding } = judgement;
  const times = times_rounding >= 100 ? count(Math.round(times_rounding)) : times_rounding.toPrecision(2);
  if (judgement.kind === "noise") return noise.isNoise(times);
  return noise.isCorrupt(times, judgement.layer, judgement.tensor, judgement.position);
}
