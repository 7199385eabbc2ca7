/** Validation of a submission's file name and source text. */
import { fileNameFault, KernelBotError, MAX_SOURCE_BYTES, formatBytes, quote } from "@kernelbot/core";

/**
 * Returns the text of an uploaded file.
 * @throws KernelBotError `too_large`, or `unprocessable` if the file is not UTF-8 text.
 */
export function decodeSource(bytes: Uint8Array): string {
  if (bytes.length > MAX_SOURCE_BYTES) throw tooLarge(bytes.length);
  if (bytes.includes(0)) throw binary();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new KernelBotError("unprocessable", "the file is not UTF-8 text; save it as UTF-8 and submit it again", {
      cause: error,
    });
  }
}

/**
 * Validates the text of a source.
 * @throws KernelBotError if it is empty, too large, contains NUL or is not well-formed Unicode.
 */
export function checkSource(source: string): void {
  const size = Buffer.byteLength(source);
  if (size > MAX_SOURCE_BYTES) throw tooLarge(size);
  if (source.trim() === "") throw new KernelBotError("unprocessable", "the file is empty");
  if (source.includes("\0")) throw binary();
  if (!source.isWellFormed()) {
    throw new KernelBotError("unprocessable", "the source contains an unpaired surrogate; save it as UTF-8 text");
  }
}

/**
 * Validates a file name. It must be a plain name because it is used for a file and is shown in terminals and on pages.
 * @throws KernelBotError `unprocessable`.
 */
export function checkFileName(name: string): void {
  const fault = fileNameFault(name);
  if (fault !== null) throw new KernelBotError("unprocessable", `the file name ${quote(name)} ${fault}`);
}

function tooLarge(size: number): KernelBotError {
  return new KernelBotError(
    "too_large",
    `the file has ${formatBytes(size)}; at most ${formatBytes(MAX_SOURCE_BYTES)} (${MAX_SOURCE_BYTES} bytes) are accepted`,
  );
}

function binary(): KernelBotError {
  return new KernelBotError("unprocessable", "the file is binary, not source text: it contains NUL bytes");
}
