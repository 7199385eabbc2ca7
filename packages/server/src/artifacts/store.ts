/** Where the bytes of large things are kept, addressed by their SHA-256 in hexadecimal. */
import type { Readable } from "node:stream";

export interface Stored {
  sha256: string;
  sizeBytes: number;
}

/** What is handed out, and how. */
export interface Linked {
  /** The file name that it is saved by. */
  name: string;
  mediaType: string;
  seconds: number;
}

export interface ObjectStore {
  /**
   * Keeps what a stream gives. When this resolves, it is whole and on disk; the same bytes are kept once.
   * @throws KernelBotError `too_large` for more than `maxBytes`, of which nothing is kept; the error of the stream.
   */
  put(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Stored>;
  /** A stream of an object, or null where there is none. */
  get(sha256: string): Promise<Readable | null>;
  /** The size of an object in bytes, or null where there is none. */
  size(sha256: string): Promise<number | null>;
  /** Forgets an object, if it is there. */
  delete(sha256: string): Promise<void>;
  /** Writes something and takes it away. @throws an error that says why the store cannot be written. */
  check(): Promise<void>;
  /**
   * An address that gives the bytes to whoever has it, until so many seconds have passed, without asking this server; null
   * where the store has none to give.
   */
  link(sha256: string, link: Linked): Promise<string | null>;
}
