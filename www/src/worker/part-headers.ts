// The files of a model by the address of any of them: their addresses, and their headers, from this browser's storage or
// from a few pieces of each address.
import type { ModelHeader } from "lastbit-engine";
import type { FileVersion } from "../shared/model-records";
import { besides, fileNameIn } from "../shared/model-url";
import type { Ask } from "./ask";
import { engineErrorFrom } from "./errors";
import { readFileHeader, UrlHeaderReading } from "./header-reading";
import type { ModelStore } from "./model-store";
import { cancelledDownload, ofPart } from "./transfer-errors";

/** Of the engine: the names of all parts of a model, by the name of one. */
export type PartNames = (name: string) => string[];

/** In order; only the address itself where its file is no part. */
export function addressesOfAll(url: string, partNames: PartNames): string[] {
  const name = fileNameIn(url);
  const names = partNames(name);
  return names.length > 1 ? names.map((name) => besides(url, name)) : [url];
}

/** What is known of a file besides its header. */
export interface FoundFile {
  version: FileVersion;
  /** Another host that the bytes come from. */
  redirected_to: string | null;
  /** Whether it is whole in this browser's storage. */
  is_kept: boolean;
}

/** Where headers are read from. */
export interface HeaderPlaces {
  ask: Ask;
  siteOrigin: string;
  store: ModelStore;
}

/** Reads the header of each address, in order, and of one at a time. */
export async function readUrlHeaders(
  urls: readonly string[],
  header: ModelHeader,
  places: HeaderPlaces,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const [index, url] of urls.entries()) {
    if (signal.aborted) throw cancelledDownload();
    const reading = readUrlHeader(url, header, places, signal).catch((reason: unknown) => {
      const error = engineErrorFrom(reason);
      throw urls.length > 1 ? ofPart(error, index + 1, urls.length) : error;
    });
    found.push(await reading);
  }
  return found;
}

async function readUrlHeader(
  url: string,
  header: ModelHeader,
  { ask, siteOrigin, store }: HeaderPlaces,
  signal: AbortSignal,
): Promise<FoundFile> {
  const kept = await store.find(url);
  if (kept === null) {
    return { ...(await new UrlHeaderReading(url, siteOrigin, ask).run(header, signal)), is_kept: false };
  }
  const { etag, len_bytes } = kept.record;
  await readFileHeader(kept.file, fileNameIn(url), header);
  const version = { etag, last_modified: null, total: len_bytes, total_is_sure: true };
  return { version, redirected_to: null, is_kept: true };
}
