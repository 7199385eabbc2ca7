/** The one reading of source text, so that a file has the same text and SHA-256 by whatever channel it arrives. */
import { KernelBotError } from "../errors.ts";
import { decodeUtf8 } from "../text/utf8.ts";

/** Maximum size of a submission's source, in bytes of UTF-8. */
export const MAX_SOURCE_BYTES = 1_000_000;

/**
 * Returns source text without a byte order mark, with LF line ends. Python and C++ compilers read both as equal;
 * HTML forms and git change line ends on the way.
 *
 * @example
 * normalizeSource("\uFEFFimport torch\r\n"); // "import torch\n"
 */
export function normalizeSource(text: string): string {
  return text.replace(/^\uFEFF+/, "").replace(/\r\n?/g, "\n");
}

/**
 * Returns the normalized text of a source, which may be empty.
 * @throws KernelBotError `too_large`, or `unprocessable` if it is binary or not well-formed UTF-8.
 */
export function decodeSource(source: string | Uint8Array, maxBytes = MAX_SOURCE_BYTES): string {
  const sizeBytes = typeof source === "string" ? new TextEncoder().encode(source).length : source.length;
  if (sizeBytes > maxBytes) {
    const limit = maxBytes.toLocaleString("en-US");
    throw new KernelBotError("too_large", `the file is larger than ${limit} bytes, the maximum for a source`);
  }
  const text = typeof source === "string" ? source : decodeUtf8(source);
  if (text.includes("\0")) {
    throw new KernelBotError("unprocessable", "the file is binary, not text: it contains NUL bytes");
  }
  if (!text.isWellFormed()) {
    throw new KernelBotError("unprocessable", "the source contains an unpaired surrogate; save it as UTF-8 text");
  }
  return normalizeSource(text);
}

/**
 * Returns the text of a source as `decodeSource` does.
 * @throws KernelBotError also if it is blank.
 */
export function parseSource(source: string | Uint8Array, maxBytes = MAX_SOURCE_BYTES): string {
  const text = decodeSource(source, maxBytes);
  if (text.trim() === "") throw new KernelBotError("unprocessable", "the file is empty");
  return text;
}
