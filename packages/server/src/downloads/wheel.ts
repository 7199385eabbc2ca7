/**
 * Wheels of the runner without the executable in them, which is most of a wheel and a download of its own. A published
 * server contains wheels in this form, and joins their parts when one is requested: a wheel is a ZIP file, whose entries
 * are compressed as gzip files are (RFC 1951).
 */
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";

/** What precedes and follows the compressed data in a gzip file that contains no name, in bytes (RFC 1952). */
export const GZIP_FRAME = { header: 10, trailer: 8 };

/** Ending that is appended to the name of a wheel for the file with its parts. */
export const PARTS = ".json";

const partsSchema = z.object({
  /** Name of the download that is the executable, compressed by gzip. */
  executable: z.string(),
  /** Bytes of the wheel before and after the compressed executable, in base64. */
  head: z.base64(),
  tail: z.base64(),
});
export type WheelParts = z.infer<typeof partsSchema>;

interface JoinedWheel {
  sizeBytes: number;
  /** Reads the wheel from the disk. */
  open: () => Readable;
}

/** Returns a wheel of which a folder of downloads contains the parts; null where it does not. */
export async function findJoinedWheel(folder: string, name: string): Promise<JoinedWheel | null> {
  const text = await readFile(join(folder, `${name}${PARTS}`), "utf8").catch(() => null);
  if (text === null) return null;
  const parts = partsSchema.parse(JSON.parse(text));
  const [head, tail] = [Buffer.from(parts.head, "base64"), Buffer.from(parts.tail, "base64")];
  const executable = join(folder, parts.executable);
  const end = (await stat(executable)).size - GZIP_FRAME.trailer;
  async function* bytes() {
    yield head;
    yield* createReadStream(executable, { start: GZIP_FRAME.header, end: end - 1 });
    yield tail;
  }
  const sizeBytes = head.length + (end - GZIP_FRAME.header) + tail.length;
  return { sizeBytes, open: () => Readable.from(bytes()) };
}
