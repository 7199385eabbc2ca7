/** Interface of object stores, addressed by SHA-256 in hexadecimal. */
import type { Readable } from "node:stream";

export interface Stored {
  sha256: string;
  sizeBytes: number;
}

/** Options of a link to an object. */
export interface Linked {
  /** File name of the download. */
  name: string;
  mediaType: string;
  seconds: number;
}

export interface ObjectStore {
  /**
   * Stores a stream. On success the object is complete and durable; equal contents are stored once.
   * @throws KernelBotError `too_large` for more than `maxBytes`, in which case nothing is stored; any error of the
   * stream.
   */
  put(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Stored>;
  /** Returns a stream of an object; null if it does not exist. */
  get(sha256: string): Promise<Readable | null>;
  /** Returns the size of an object in bytes; null if it does not exist. */
  size(sha256: string): Promise<number | null>;
  /** Deletes an object, if it exists. */
  delete(sha256: string): Promise<void>;
  /** Writes and deletes a test object. @throws the reason why the store is not writable. */
  check(): Promise<void>;
  /**
   * Returns a URL for downloading the object without this server, valid for `seconds`; null when the store has no such
   * URLs.
   */
  link(sha256: string, link: Linked): Promise<string | null>;
}
