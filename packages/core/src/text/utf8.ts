/** Decoding of files that people write, in editors of every platform. */
import { KernelBotError } from "../errors.ts";

/**
 * Decodes UTF-8 without its byte order mark.
 * @throws KernelBotError `unprocessable` also for NUL, which no text has and PostgreSQL does not store; it names UTF-16,
 *   which editors on Windows call "Unicode".
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const mark = [bytes[0], bytes[1]].map((byte) => byte?.toString(16).toUpperCase()).join(" ");
  if (mark === "FF FE" || mark === "FE FF") {
    throw new KernelBotError(
      "unprocessable",
      `the file is UTF-16 text: its first bytes are ${mark}; save it as UTF-8 and try again`,
    );
  }
  if (bytes.includes(0)) {
    throw new KernelBotError("unprocessable", "the file is binary, not text: it contains NUL bytes");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new KernelBotError("unprocessable", "the file is not UTF-8 text; save it as UTF-8 and try again", { cause });
  }
}
