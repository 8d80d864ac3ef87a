// Streams the model file into the engine, chunk by chunk, so that the browser never holds it whole.
// A cut or cancelled download is continued by byte range.
import type { EngineError, ModelSource } from "../shared/protocol";
import { isResumable } from "../shared/resumable";
import { engineErrorFrom } from "./errors";

/** Where the bytes go: the engine, or a list in a test. */
export interface ModelSink {
  begin(totalBytes: number): void;
  push(bytes: Uint8Array): Promise<void>;
}

/** What has arrived of one file. */
export class ModelDownload {
  #bytesReceived = 0;
  readonly #source: ModelSource;
  readonly #sink: ModelSink;

  constructor(source: ModelSource, sink: ModelSink) {
    this.#source = source;
    this.#sink = sink;
  }

  /**
   * Fetches what is missing. Throws an EngineError; call again to continue from where it stopped, or from byte 0
   * where the sink refused what arrived.
   */
  async run(
    fetchFile: typeof fetch,
    signal: AbortSignal,
    onBytes: (bytesReceived: number) => void,
  ): Promise<void> {
    try {
      await this.#continue(fetchFile, signal, onBytes);
    } catch (reason) {
      const error = engineErrorFrom(reason);
      if (!isResumable(error)) this.#bytesReceived = 0;
      throw error;
    }
  }

  async #continue(
    fetchFile: typeof fetch,
    signal: AbortSignal,
    onBytes: (bytesReceived: number) => void,
  ): Promise<void> {
    const response = await this.#request(fetchFile, signal);
    const reader = response.body?.getReader();
    if (!reader) throw failedDownload(this.#source.url, "the answer has no body");

    for (;;) {
      const chunk = await reader.read().catch((reason: unknown) => {
        throw signal.aborted ? cancelledDownload() : this.#cutDownload(String(reason));
      });
      if (signal.aborted) throw cancelledDownload();
      if (chunk.done) break;
      if (this.#bytesReceived + chunk.value.length > this.#source.len_bytes) {
        await reader.cancel();
        throw wrongLength(this.#source.len_bytes, "more");
      }
      // The engine takes the chunk before it counts: after a cut the next range starts here.
      await this.#sink.push(chunk.value).catch(async (reason: unknown) => {
        await reader.cancel();
        throw reason;
      });
      this.#bytesReceived += chunk.value.length;
      onBytes(this.#bytesReceived);
    }
    if (this.#bytesReceived < this.#source.len_bytes) throw this.#cutDownload("the connection closed early");
  }

  async #request(fetchFile: typeof fetch, signal: AbortSignal): Promise<globalThis.Response> {
    const from = this.#bytesReceived;
    const headers: Record<string, string> = from > 0 ? { Range: `bytes=${from}-` } : {};
    const response = await fetchFile(this.#source.url, { headers, signal }).catch((reason: unknown) => {
      throw signal.aborted ? cancelledDownload() : failedDownload(this.#source.url, String(reason));
    });
    if (!response.ok) throw failedDownload(this.#source.url, `status ${response.status}`);

    const continues = from > 0 && response.status === 206;
    if (!continues) {
      const length = Number(response.headers.get("content-length") ?? this.#source.len_bytes);
      if (length !== this.#source.len_bytes) throw wrongLength(this.#source.len_bytes, String(length));
      this.#bytesReceived = 0;
      this.#sink.begin(this.#source.len_bytes);
    }
    return response;
  }

  #cutDownload(reason: string): EngineError {
    return {
      code: "download-cut",
      message: `The download broke off after ${this.#bytesReceived} of ${this.#source.len_bytes} bytes (${reason}).`,
      what_to_do: "Continue the download: it goes on from the byte where it stopped.",
    };
  }
}

function failedDownload(url: string, reason: string): EngineError {
  return {
    code: "download-failed",
    message: `The model file could not be fetched from ${url} (${reason}).`,
    what_to_do: "Check that the server that gave you this page is still running, then try again.",
  };
}

function wrongLength(expected: number, found: string): EngineError {
  return {
    code: "bad-file",
    message: `The model file should have ${expected} bytes, the server offers ${found}.`,
    what_to_do: "Fetch the model again on the serving side (make run does this), then try again.",
  };
}

function cancelledDownload(): EngineError {
  return {
    code: "download-cancelled",
    message: "You stopped the download.",
    what_to_do: "Continue it whenever you like: it goes on from the byte where it stopped.",
  };
}
