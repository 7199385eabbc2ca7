import { createHash } from "node:crypto";
import { Transform } from "node:stream";

interface TableDigest {
  rows: number;
  /** SHA-256 of the rows in COPY's text format. */
  sha256: string;
}

/** Passes the text of a COPY through, and computes its digest. */
export class TableDigester extends Transform {
  readonly #hash = createHash("sha256");
  #rows = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    // The text has one line for each row: line breaks in values are escaped.
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#rows += 1;
    done(null, chunk);
  }

  /** Returns the digest, once the stream has ended. */
  digest(): TableDigest {
    return { rows: this.#rows, sha256: this.#hash.digest("hex") };
  }
}
