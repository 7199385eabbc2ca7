/** Reading of the submitted file: limited in size, and rejected before anything is sent. */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { checkFileName, KernelBotError, MAX_SOURCE_BYTES, parseSource, submittedFile } from "@kernelbot/core";
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

/**
 * Reads a submission; `-` is standard input. A FlashInfer Trace solution, `NAME.json`, becomes `NAME.py`.
 * @throws UsageError that names the file and what is wrong with it.
 */
export async function readSource(path: string): Promise<SourceFile> {
  if (path === "-") return { fileName: "stdin.py", source: await readText(process.stdin, "standard input") };
  const name = JSON.stringify(path);
  try {
    const source = await readText(createReadStream(path, { end: MAX_SOURCE_BYTES }), name);
    const fileName = basename(path);
    checkFileName(fileName);
    const file = submittedFile({ fileName, source: await withContents(path, source) });
    return { ...file, source: parsed(file.source, `${name}, with its sources`) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code in REFUSALS) throw new UsageError(`${name} ${REFUSALS[code] ?? ""}`, { cause: error });
    throw error;
  }
}

async function readText(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_SOURCE_BYTES) break;
  }
  return parsed(Buffer.concat(chunks), name);
}

function parsed(source: string | Uint8Array, name: string): string {
  try {
    return parseSource(source);
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    throw new UsageError(`${name}: ${error.message}`, { cause: error });
  }
}
