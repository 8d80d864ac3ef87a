// Reads the headers of a model's files and nothing behind them: a few slices of a file, or a few byte ranges of an
// address.
import type { ModelHeader } from "lastbit-engine";
import type { FileVersion } from "../shared/model-records";
import { fileNameIn, isAllowedModelUrl } from "../shared/model-url";
import { type Answer, type Ask, askFromStart } from "./ask";
import { contentRangeOf, isSameVersion, versionOf } from "./content-range";
import { sliceOf } from "./model-files";
import {
  cancelledDownload,
  changedWhileRead,
  httpError,
  networkError,
  refusedAddress,
  wrongRange,
} from "./transfer-errors";

/** Most headers end within the first piece, those of large vocabularies within the third. */
const FIRST_PIECE_BYTES = 1 << 20;
const GROWTH = 4;

/** The part of the engine's header reader that is used. */
export type HeaderSink = Pick<ModelHeader, "begin_file" | "push" | "end_file">;

export async function readFileHeaders(files: readonly File[], header: HeaderSink): Promise<void> {
  for (const file of files) await readFileHeader(file, file.name, header);
}

/** `name` tells which part of a model the file is, if it is one. */
export async function readFileHeader(file: File, name: string, header: HeaderSink): Promise<void> {
  header.begin_file(name, file.size);
  let [start, length] = [0, FIRST_PIECE_BYTES];
  while (start < file.size) {
    if (header.push(await sliceOf(file, start, start + length))) return;
    [start, length] = [start + length, length * GROWTH];
  }
  header.end_file();
}

/** What an address says of its file besides the header. */
export interface RemoteHeader {
  version: FileVersion;
  redirected_to: string | null;
}

const NOTHING_TOLD: FileVersion = { etag: null, last_modified: null, total: null, total_is_sure: false };

export class UrlHeaderReading {
  readonly #url: string;
  readonly #siteOrigin: string;
  readonly #ask: Ask;
  #version: FileVersion | null = null;
  #position = 0;

  constructor(url: string, siteOrigin: string, ask: Ask) {
    this.#url = url;
    this.#siteOrigin = siteOrigin;
    this.#ask = ask;
  }

  /** Throws an EngineError. */
  async run(header: HeaderSink, signal: AbortSignal): Promise<RemoteHeader> {
    for (let length = FIRST_PIECE_BYTES; ; length *= GROWTH) {
      const answer = await this.#request(length, signal);
      const start = this.#position;
      try {
        if (await this.#take(answer, header, signal)) return this.#found(answer);
      } finally {
        answer.close();
      }
      if (this.#isAtTheEnd(answer, this.#position - start < length)) header.end_file();
      // Another host may hide which bytes it sends. Only those from the first one on need no telling.
      if (contentRangeOf(answer) === null) this.#position = 0;
    }
  }

  #isAtTheEnd(answer: Answer, isShort: boolean): boolean {
    const total = this.#version?.total ?? null;
    return answer.status !== 206 || (total === null ? isShort : this.#position >= total);
  }

  async #request(length: number, signal: AbortSignal): Promise<Answer> {
    const range = `bytes=${this.#position}-${this.#position + length - 1}`;
    const asked =
      this.#position === 0
        ? askFromStart(this.#ask, this.#url, range, signal)
        : this.#ask(this.#url, { Range: range }, signal);
    const answer = await asked.catch((reason: unknown) => {
      const isSameOrigin = new URL(this.#url).origin === this.#siteOrigin;
      throw signal.aborted ? cancelledDownload() : networkError(this.#url, String(reason), isSameOrigin);
    });
    try {
      this.#check(answer);
    } catch (error) {
      answer.close();
      throw error;
    }
    return answer;
  }

  #check(answer: Answer): void {
    if (![200, 206, 416].includes(answer.status)) throw httpError(this.#url, answer.status);
    if (!isAllowedModelUrl(new URL(answer.url), this.#siteOrigin)) throw refusedAddress(answer.url);
    // Past the end of the file, or of an empty one: what arrived is all there is.
    if (answer.status === 416) return;
    const version = versionOf(answer);
    if (this.#version !== null && !isSameVersion(this.#version, version)) throw changedWhileRead(this.#url);
    const start = answer.status === 206 ? (contentRangeOf(answer)?.start ?? 0) : 0;
    if (start !== this.#position) throw wrongRange(this.#url);
    this.#version ??= version;
  }

  /** Whether the header is complete. */
  async #take(answer: Answer, header: HeaderSink, signal: AbortSignal): Promise<boolean> {
    if (this.#position === 0) header.begin_file(fileNameIn(this.#url), this.#sureLength());
    if (answer.status === 416) return false;
    for (;;) {
      const piece = await answer.read().catch((reason: unknown) => {
        throw signal.aborted ? cancelledDownload() : networkError(this.#url, String(reason), false);
      });
      if (piece === null) return false;
      if (header.push(piece)) return true;
      this.#position += piece.length;
    }
  }

  #sureLength(): number | undefined {
    return this.#version?.total_is_sure ? (this.#version.total ?? undefined) : undefined;
  }

  #found(answer: Answer): RemoteHeader {
    const [asked, answered] = [new URL(this.#url).host, new URL(answer.url).host];
    return { version: this.#version ?? NOTHING_TOLD, redirected_to: answered === asked ? null : answered };
  }
}
