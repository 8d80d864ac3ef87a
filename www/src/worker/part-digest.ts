// A digest of the bytes so far that can be carried on, which the browser's own SHA-256 cannot: blocks are hashed one
// by one, each together with the digest before it. It tells whether a part of a download is still what was written;
// the whole file's SHA-256 is the engine's matter.

const BLOCK_BYTES = 1 << 20;
const DIGEST_BYTES = 32;

export class PartDigest {
  /** The digest of all blocks before, then the block being filled. */
  readonly #block = new Uint8Array(DIGEST_BYTES + BLOCK_BYTES);
  #filled = DIGEST_BYTES;

  async push(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      const taken = rest.subarray(0, this.#block.length - this.#filled);
      this.#block.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled === this.#block.length) {
        this.#block.set(await this.#hash());
        this.#filled = DIGEST_BYTES;
      }
    }
  }

  /** Of all bytes so far, in hexadecimal; more may follow. */
  async hex(): Promise<string> {
    return [...(await this.#hash())].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async #hash(): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", this.#block.subarray(0, this.#filled)));
  }
}
