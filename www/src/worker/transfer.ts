// A model's bytes on their way from a source to the engine.
import type { EngineError, ModelReport } from "../shared/engine-records";
import type { TransferReport } from "./model-download";

export interface Transfer {
  /** Takes in what is missing. Throws an EngineError; after one that is resumable, call again to go on. */
  run(signal: AbortSignal, report: TransferReport): Promise<void>;
  /** What the bytes must hash to; null where nobody knows. */
  expected_sha256: string | null;
  /** The engine's judgement of all bytes. */
  approve(model: ModelReport): Promise<void>;
  reject(error: EngineError): Promise<void>;
}
