/** Reading of the submitted file: limited in size, and rejected before anything is sent. */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { MAX_SOURCE_BYTES, submittedFile } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { withContents } from "../flashinfer-trace/solution.ts";

export interface SourceFile {
  fileName: string;
  source: string;
}

/** Messages for files that cannot be read, by error code. */
const REFUSALS: Record<string, string> = {
  ENOENT: "does not exist",
  EISDIR: "is a directory; a submission is one file",
  EACCES: "cannot be read: permission denied",
};

const TOO_LARGE = "is larger than 1 MB, the maximum for a submission";

/** Maximum length of a file name that the server accepts; of a longer name only the end is sent. */
const MAX_NAME_CHARACTERS = 200;

/**
 * Reads a submission; `-` is standard input. A FlashInfer Trace solution, `NAME.json`, becomes `NAME.py`.
 * @throws UsageError that names the file and what is wrong with it.
 */
export async function readSource(path: string): Promise<SourceFile> {
  if (path === "-") return { fileName: "stdin.py", source: await readText(process.stdin, "standard input") };
  const name = JSON.stringify(path);
  try {
    const source = await readText(createReadStream(path, { end: MAX_SOURCE_BYTES }), name);
    const fileName = basename(path).slice(-MAX_NAME_CHARACTERS);
    const file = submittedFile({ fileName, source: await withContents(path, source) });
    if (Buffer.byteLength(file.source) > MAX_SOURCE_BYTES)
      throw new UsageError(`${name}, with its sources, ${TOO_LARGE}`);
    return file;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code in REFUSALS) throw new UsageError(`${name} ${REFUSALS[code] ?? ""}`, { cause: error });
    throw error;
  }
}

async function readText(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_SOURCE_BYTES) throw new UsageError(`${name} ${TOO_LARGE}`);
  }
  const source = decode(Buffer.concat(chunks));
  if (source === null) throw new UsageError(`${name} is not UTF-8 text; a submission is source code`);
  if (source.includes("\0")) throw new UsageError(`${name} is binary; a submission is source code`);
  if (source.trim() === "") throw new UsageError(`${name} is empty`);
  return source;
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
