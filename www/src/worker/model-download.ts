// Streams a model file from an address into the engine, piece by piece, so that the browser never holds it whole.
// A cut or cancelled download is continued by byte range, and only where the file is known to be the same one: two
// versions are never stitched together.
import type { FileVersion } from "../shared/model-records";
import { isAllowedModelUrl } from "../shared/model-url";
import type { RestartReason, StorageNews } from "../shared/protocol";
import { type Answer, type Ask, askFromStart } from "./ask";
import { contentRangeOf, ifRangeOf, isSameVersion, lengthAtItsEnd, versionOf } from "./content-range";
import { MOST_TRIES, pauseBefore, Silence, unlessSilent, type Wait, waitFor } from "./silence";
import {
  cancelledDownload,
  changedWhileRead,
  cutDownload,
  endlessAnswer,
  httpError,
  networkError,
  refusedAddress,
  wrongLength,
  wrongRange,
} from "./transfer-errors";

/** Where the bytes go: the engine, or a list in a test. */
export interface ModelSink {
  /** Null where the length is unknown. */
  begin(totalBytes: number | null): void;
  push(bytes: Uint8Array): Promise<void>;
}

/** Where those of a download go: also somewhere that must know of which version they are. */
export interface DownloadSink extends Pick<ModelSink, "push"> {
  begin(totalBytes: number | null, version: FileVersion): void | Promise<void>;
}

export interface Remote {
  url: string;
  /** The site of this page: its answers show all headers, and may be asked with any. */
  site_origin: string;
  /** What the file must have; null for a person's own address. */
  len_bytes: number | null;
  /** Of the model's data, as its header says. */
  needed_bytes: number | null;
  /** That the header was read of, where the bytes are taken by it. */
  header_version?: FileVersion;
}

export interface TransferReport {
  /** From here on come the bytes of the n-th of several files. */
  onPart(number: number, count: number): void;
  onBytes(bytesReceived: number, bytesTotal: number | null): void;
  onRestart(why: RestartReason): void;
  onStorage(news: StorageNews): void;
  /** Nothing has come for a while; it is asked for again, for the n-th time in a row. */
  onSilence(nthTry: number): void;
}

/** The report of bytes that come over the network. */
type DownloadReport = Pick<TransferReport, "onBytes" | "onRestart" | "onSilence">;

/** What the sink has taken of the file before. */
export interface Beginning {
  bytes: number;
  version: FileVersion;
}

/** How much may follow the last tensor in an answer of unknown length. */
const MOST_BEHIND_THE_END = 64 << 20;

/** What has arrived of one file. */
export class ModelDownload {
  #bytesReceived = 0;
  #version: FileVersion | null = null;
  readonly #remote: Remote;
  readonly #sink: DownloadSink;

  readonly #wait: Wait;

  constructor(remote: Remote, sink: DownloadSink, beginning: Beginning | null = null, wait = waitFor) {
    this.#remote = remote;
    this.#sink = sink;
    this.#bytesReceived = beginning?.bytes ?? 0;
    this.#version = beginning?.version ?? null;
    this.#wait = wait;
  }

  /** Fetches what is missing. Throws an EngineError; after one that is resumable, call again to go on. */
  async run(ask: Ask, signal: AbortSignal, report: DownloadReport): Promise<void> {
    if (this.#bytesReceived > 0 && this.#bytesReceived === this.#knownLength()) return;
    for (let tries = 0; ; ) {
      const before = this.#bytesReceived;
      try {
        return await this.#runOnce(ask, signal, report);
      } catch (reason) {
        if (!(reason instanceof Silence)) throw reason;
        tries = this.#bytesReceived > before ? 1 : tries + 1;
        if (tries > MOST_TRIES) {
          throw cutDownload(
            this.#bytesReceived,
            this.#knownLength(),
            `nothing came, ${MOST_TRIES} times in a row`,
          );
        }
        report.onSilence(tries);
        await this.#wait(pauseBefore(tries), signal);
        if (signal.aborted) throw cancelledDownload();
      }
    }
  }

  async #runOnce(ask: Ask, signal: AbortSignal, report: DownloadReport): Promise<void> {
    const answer = await this.#answer(ask, signal, report);
    if (answer === null) return;
    try {
      await this.#take(answer, signal, report);
    } finally {
      answer.close();
    }
  }

  /** An answer whose body begins at the byte that is wanted next; null where nothing is behind what has arrived. */
  async #answer(ask: Ask, signal: AbortSignal, report: DownloadReport): Promise<Answer | null> {
    if (this.#bytesReceived > 0 && !canContinue(this.#remote, this.#version))
      this.#startAgain("nothing-to-go-by", report);
    const first = await this.#request(ask, signal);
    if (this.#isEnd(first)) {
      first.close();
      return null;
    }
    const why = this.#whyNotContinued(first);
    if (why === null) return await this.#accept(first);
    this.#startAgain(why, report);
    if (first.status === 200) return await this.#accept(first);
    first.close();
    const second = await this.#request(ask, signal);
    if (this.#whyNotContinued(second) === null) return await this.#accept(second);
    second.close();
    throw wrongRange(this.#remote.url);
  }

  async #request(ask: Ask, signal: AbortSignal): Promise<Answer> {
    const { url, site_origin } = this.#remote;
    const unanswered = new AbortController();
    const either = AbortSignal.any([signal, unanswered.signal]);
    const range = `bytes=${this.#bytesReceived}-`;
    const asked =
      this.#bytesReceived === 0
        ? askFromStart(ask, url, range, either)
        : ask(url, { Range: range, ...this.#ifRange() }, either);
    const answer = await unlessSilent(asked, this.#wait).catch((reason: unknown) => {
      if (reason instanceof Silence) unanswered.abort();
      if (reason instanceof Silence) throw reason;
      throw signal.aborted ? cancelledDownload() : networkError(url, String(reason), this.#isSameOrigin());
    });
    const isExpected = [200, 206, 416].includes(answer.status);
    if (isExpected && isAllowedModelUrl(new URL(answer.url), site_origin)) return answer;
    answer.close();
    throw isExpected ? refusedAddress(answer.url) : httpError(url, answer.status);
  }

  /** Another host would have to allow this header first, and few do; its answer's version is compared all the same. */
  #ifRange(): Record<string, string> {
    const version = this.#version && ifRangeOf(this.#version);
    return version !== null && this.#isSameOrigin() ? { "If-Range": version } : {};
  }

  /** Whether the file, of the same version as far as is told, is just as long as what has arrived. */
  #isEnd(answer: Answer): boolean {
    if (this.#bytesReceived === 0 || lengthAtItsEnd(answer) !== this.#bytesReceived) return false;
    return this.#version === null || isSameVersion(this.#version, versionOf(answer));
  }

  /** Null where the answer's bytes are the next ones of the file that the others were of. */
  #whyNotContinued(answer: Answer): RestartReason | null {
    const from = this.#bytesReceived;
    if (answer.status === 416) return "file-changed";
    if (answer.status === 200) return from === 0 ? null : this.#whyWhole(answer);
    const range = contentRangeOf(answer);
    // Another host may hide which bytes it sends; the first ones are then taken at its word.
    if (range === null) return from === 0 ? null : "nothing-to-go-by";
    if (range.start !== from) return "nothing-to-go-by";
    const isSame = this.#version === null || isSameVersion(this.#version, versionOf(answer));
    return isSame || from === 0 ? null : "file-changed";
  }

  #whyWhole(answer: Answer): RestartReason {
    return this.#version && isSameVersion(this.#version, versionOf(answer)) ? "whole-file" : "file-changed";
  }

  async #accept(answer: Answer): Promise<Answer> {
    if (this.#bytesReceived > 0) return answer;
    const { len_bytes } = this.#remote;
    this.#version = versionOf(answer);
    if (!isOfHeader(this.#remote, this.#version)) {
      answer.close();
      throw changedWhileRead(this.#remote.url);
    }
    const { total } = this.#version;
    if (len_bytes !== null && total !== null && total !== len_bytes) {
      answer.close();
      throw wrongLength(len_bytes, String(total));
    }
    await this.#sink.begin(this.#knownLength(), this.#version);
    return answer;
  }

  async #take(answer: Answer, signal: AbortSignal, report: DownloadReport): Promise<void> {
    const total = this.#knownLength() ?? this.#version?.total ?? null;
    for (;;) {
      const piece = await unlessSilent(answer.read(), this.#wait).catch((reason: unknown) => {
        if (reason instanceof Silence) throw reason;
        throw signal.aborted ? cancelledDownload() : cutDownload(this.#bytesReceived, total, String(reason));
      });
      if (signal.aborted) throw cancelledDownload();
      if (piece === null) break;
      this.#checkLength(this.#bytesReceived + piece.length);
      // The engine takes the piece before it counts: after a cut the next range starts here.
      await this.#sink.push(piece);
      this.#bytesReceived += piece.length;
      report.onBytes(this.#bytesReceived, total);
    }
    const needed = this.#knownLength() ?? this.#remote.needed_bytes;
    if (needed !== null && this.#bytesReceived < needed) {
      throw cutDownload(this.#bytesReceived, needed, "the connection closed early");
    }
  }

  #checkLength(received: number): void {
    const { url, needed_bytes } = this.#remote;
    const known = this.#knownLength();
    if (known !== null && received > known) throw wrongLength(known, "more");
    if (known === null && needed_bytes !== null && received > needed_bytes + MOST_BEHIND_THE_END) {
      throw endlessAnswer(url, received);
    }
  }

  /** Bytes of the file, where they are known for sure: a server's Content-Length may be that of an encoded body. */
  #knownLength(): number | null {
    return this.#remote.len_bytes ?? (this.#version?.total_is_sure ? this.#version.total : null);
  }

  #startAgain(why: RestartReason, report: DownloadReport): void {
    this.#bytesReceived = 0;
    report.onRestart(why);
  }

  #isSameOrigin(): boolean {
    return new URL(this.#remote.url).origin === this.#remote.site_origin;
  }
}

/** A part of a file with a known hash may be continued without a version: the hash decides. */
export function canContinue({ len_bytes }: Remote, version: FileVersion | null): boolean {
  return len_bytes !== null || (version !== null && ifRangeOf(version) !== null);
}

/** Whether the bytes of a version may be those that the header tells of. */
export function isOfHeader({ header_version }: Remote, version: FileVersion): boolean {
  return header_version === undefined || isSameVersion(header_version, version);
}
