/** Fetches problem directories from a branch of a repository, as an archive. */
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatBytes, KernelBotError, quote } from "@kernelbot/core";
import { Unpack } from "tar";
import { pipeline } from "node:stream/promises";

const FETCH_MS = 60_000;
/** Limits of an archive: packed and unpacked size, and number of files. */
const MAX_PACKED_BYTES = 64 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 20_000;

export interface Branch {
  /** `owner/name`. */
  repository: string;
  branch: string;
}

/**
 * Fetches the folder `problems` of a branch to a temporary directory, passes its path to `use`, and deletes it
 * afterwards.
 * @param archives Base URL of archives, such as `https://codeload.github.com`.
 * @param fetchMs Timeout of the download, in milliseconds.
 * @throws KernelBotError `bad_request` for an invalid name; `not_found`; `unavailable` if the archive cannot be fetched
 * or read.
 */
export async function withProblemsOf<T>(
  archives: string,
  { repository, branch }: Branch,
  use: (folder: string) => Promise<T>,
  fetchMs = FETCH_MS,
): Promise<T> {
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repository) || /(^|\/)\.\.?(\/|$)/.test(repository)) {
    throw new KernelBotError("bad_request", `repository: ${quote(repository)} is not OWNER/NAME`);
  }
  if (!/^[\w.-]{1,200}$/.test(branch) || /^\.\.?$/.test(branch)) {
    throw new KernelBotError(
      "bad_request",
      `branch: ${quote(branch)} is not a valid branch name; slashes are not supported`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-archive-"));
  try {
    const packed = join(folder, "archive.tar.gz");
    await writeFile(packed, await fetchArchive(`${archives}/${repository}/tar.gz/refs/heads/${branch}`, fetchMs));
    await unpack(packed, folder);
    return await use(join(folder, "problems"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the bytes of an archive. */
async function fetchArchive(url: string, fetchMs: number): Promise<Buffer> {
  try {
    return await read(await fetch(url, { signal: AbortSignal.timeout(fetchMs) }), url);
  } catch (error) {
    if (error instanceof KernelBotError) throw error;
    throw new KernelBotError("unavailable", `${url} cannot be fetched: ${reasonOf(error, fetchMs)}`, { cause: error });
  }
}

async function read({ status, ok, body }: Response, url: string): Promise<Buffer> {
  if (status === 404) throw new KernelBotError("not_found", `${url} not found; check the repository and branch`);
  if (!ok || body === null) throw new KernelBotError("unavailable", `${url} answers ${status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_PACKED_BYTES) {
      throw new KernelBotError("unavailable", `${url} is larger than ${formatBytes(MAX_PACKED_BYTES)}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns why a request failed: `fetch` reports the cause only as such. */
function reasonOf(error: unknown, fetchMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no complete response within ${fetchMs / 1000} s`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Extracts plain files and folders below `problems` of the archive's top folder, within the limits. */
async function unpack(packed: string, folder: string): Promise<void> {
  let bytes = 0;
  let files = 0;
  const unpacking = new Unpack({
    cwd: folder,
    strip: 1,
    strict: true,
    filter: (path, entry) => {
      bytes += entry.size;
      files += 1;
      if (bytes > MAX_UNPACKED_BYTES || files > MAX_FILES) {
        throw new KernelBotError(
          "unavailable",
          "the archive exceeds the size limit for problem sets; nothing was imported",
        );
      }
      const plain = "type" in entry && (entry.type === "File" || entry.type === "Directory");
      return plain && path.split("/")[1] === "problems";
    },
  });
  try {
    await pipeline(createReadStream(packed), unpacking);
  } catch (error) {
    if (error instanceof KernelBotError) throw error;
    throw new KernelBotError("unavailable", `the archive cannot be read: ${String(error)}`, { cause: error });
  }
}
