// A model in parts: each from this browser's storage or its own address, kept and continued as a single file is, and one
// behind the other into the engine under the header of all.
import type { FileHash, ModelHeader } from "lastbit-engine";
import type { EngineError, ModelReport } from "../shared/engine-records";
import type { StorageNews } from "../shared/protocol";
import { engineErrorFrom } from "./errors";
import type { ModelSink, TransferReport } from "./model-download";
import type { FoundFile } from "./part-headers";
import type { Transfer } from "./transfer";
import { cancelledDownload, changedWhileRead, ofPart, wrongPart } from "./transfer-errors";
import type { ModelLoader } from "./twin-loader";

/** The engine cannot give back what it took of a part: all of them are taken from the first byte again. */
class TakenFromStart extends Error {}

/** Takes the bytes of one part. */
export class PartSink implements ModelSink {
  #taken = 0;
  readonly #loader: ModelLoader;
  readonly #hash: FileHash;
  readonly #len_bytes: number;

  /** `len_bytes` are those that the joined header counts; a longer file ends in bytes that are no model's. */
  constructor(loader: ModelLoader, hash: FileHash, len_bytes: number) {
    this.#loader = loader;
    this.#hash = hash;
    this.#len_bytes = len_bytes;
  }

  begin(): void {
    if (this.#taken > 0) throw new TakenFromStart();
  }

  async push(bytes: Uint8Array): Promise<void> {
    const wanted = bytes.subarray(0, Math.max(0, this.#len_bytes - this.#taken));
    if (wanted.length > 0) await this.#loader.push(wanted);
    this.#hash.push(bytes);
    this.#taken += bytes.length;
  }

  get isShort(): boolean {
    return this.#taken < this.#len_bytes;
  }

  get sha256(): string {
    return this.#hash.hex();
  }
}

/** One part on its way. */
export interface Part {
  url: string;
  len_bytes: number;
  is_kept: FoundFile["is_kept"];
  sink: PartSink;
  transfer: Transfer;
}

interface Begun {
  header: ModelHeader;
  parts: readonly Part[];
}

export class SplitTransfer implements Transfer {
  /** Each part has its own. */
  readonly expected_sha256 = null;
  readonly #loader: ModelLoader;
  readonly #begin: (signal: AbortSignal) => Promise<Begun>;
  #parts: readonly Part[] = [];
  #newsOf: NewsOfPart = () => {};
  /** How many parts have arrived. */
  #arrived = 0;

  /** `begin` reads all headers, and is asked again where the parts have to be taken from the start. */
  constructor(loader: ModelLoader, begin: (signal: AbortSignal) => Promise<Begun>) {
    this.#loader = loader;
    this.#begin = begin;
  }

  async run(signal: AbortSignal, report: TransferReport): Promise<void> {
    for (;;) {
      if (this.#parts.length === 0) await this.#start(signal);
      try {
        return await this.#runParts(signal, report);
      } catch (reason) {
        if (!(reason instanceof TakenFromStart)) throw reason;
        this.#parts = [];
      }
    }
  }

  async approve(model: ModelReport): Promise<void> {
    for (const { transfer, sink } of this.#parts) await transfer.approve({ ...model, sha256: sink.sha256 });
  }

  /** The part at fault; all of them where they are together no model. */
  async reject(error: EngineError): Promise<void> {
    const { [this.#arrived]: atFault } = this.#parts;
    for (const { transfer } of atFault ? [atFault] : this.#parts) await transfer.reject(error);
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { header, parts } = await this.#begin(signal);
    this.#loader.begin(lengthOf(parts), header);
    [this.#parts, this.#arrived, this.#newsOf] = [parts, 0, newsOfAll(parts)];
  }

  async #runParts(signal: AbortSignal, report: TransferReport): Promise<void> {
    const [parts, total] = [this.#parts, lengthOf(this.#parts)];
    for (; this.#arrived < parts.length; this.#arrived += 1) {
      if (signal.aborted) throw cancelledDownload();
      const { [this.#arrived]: part } = parts;
      if (part === undefined) return;
      report.onPart(this.#arrived + 1, parts.length);
      const before = lengthOf(parts.slice(0, this.#arrived));
      const onBytes = (bytes: number) => report.onBytes(before + Math.min(bytes, part.len_bytes), total);
      const onStorage = (news: StorageNews) => this.#newsOf(part, news, report.onStorage);
      await runPart(part, signal, { ...report, onBytes, onStorage }).catch((reason: unknown) => {
        if (reason instanceof TakenFromStart) throw reason;
        throw ofPart(engineErrorFrom(reason), this.#arrived + 1, parts.length);
      });
    }
  }
}

async function runPart(
  { url, transfer, sink }: Part,
  signal: AbortSignal,
  report: TransferReport,
): Promise<void> {
  await transfer.run(signal, report);
  if (sink.isShort) throw changedWhileRead(url);
  const { expected_sha256 } = transfer;
  if (expected_sha256 !== null && expected_sha256 !== sink.sha256) {
    throw wrongPart(url, expected_sha256, sink.sha256);
  }
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { len_bytes }) => sum + len_bytes, 0);
}

type NewsOfPart = (part: Part, news: StorageNews, tell: (news: StorageNews) => void) => void;

/** What the storage does for the model, of what it does for each part. */
function newsOfAll(parts: readonly Part[]): NewsOfPart {
  const n_missing = parts.filter(({ is_kept }) => !is_kept).length;
  let [bytes, isMissingOne, n_kept] = [0, false, 0];
  return (part, news, tell) => {
    if (isMissingOne) return;
    switch (news.kind) {
      case "from-storage":
        bytes += part.len_bytes;
        return tell(n_missing === 0 ? news : { kind: "continued", bytes });
      case "continued":
        bytes += news.bytes;
        return tell({ kind: "continued", bytes });
      case "kept":
        n_kept += 1;
        // Those that were kept before say nothing.
        if (n_kept === n_missing) tell(news);
        return;
      case "not-kept":
        isMissingOne = true;
        return tell(news);
    }
  };
}
