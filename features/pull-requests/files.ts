/**
 * The submission files of a pull request. GitHub's API lists the changed files; their contents are read from the
 * labelled commit and verified by their git hash. No content is executed by the server.
 */
import { createHash } from "node:crypto";
import { decodeUtf8, KernelBotError, MAX_ENTRY_BYTES, type KernelBenchEntryFault } from "@kernelbot/core";
import type { ChangedFile, Installation, PullAddress, TreeEntry } from "./github.ts";

export const FOLDER = "submissions";

/** Maximum number of files evaluated per pull request. */
export const MAX_FILES = 5;

/** `submissions/NAME.json`, with a name that is valid on every platform. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.json$/;
/** Paths that look like a submission file, whether or not the name is valid. */
const MEANT = /^submissions\/.*\.json$/is;

/** Modes of regular files in git; other modes are symbolic links, submodules and folders. */
const ORDINARY = new Set(["100644", "100755"]);

/** Faults of one file; of the whole pull request when the path is null. */
export interface Refusal {
  path: string | null;
  faults: KernelBenchEntryFault[];
}

export interface Selected {
  /** Paths of the submission files that are added or changed. */
  paths: string[];
  refusals: Refusal[];
  /** Number of other changed files, which are ignored. */
  others: number;
}

/** Selects the changed files that are evaluated. */
export function selectFiles(changed: readonly ChangedFile[]): Selected {
  const inFolder = changed.filter(
    ({ path, status }) => MEANT.test(path) && status !== "removed" && status !== "unchanged",
  );
  const named = inFolder.filter(({ path }) => NAME.test(path.slice(FOLDER.length + 1)));
  const refusals = inFolder
    .filter((file) => !named.includes(file))
    .map(({ path }) =>
      toRefusal(path, `rename the file to ${FOLDER}/NAME.json, where NAME is at most 100 letters, digits, _, - and .`),
    );
  if (inFolder.length === 0)
    refusals.push(toRefusal(null, `the pull request adds or changes no file ${FOLDER}/NAME.json`));
  if (named.length > MAX_FILES) {
    refusals.push(
      toRefusal(null, `the pull request changes ${named.length} submission files; the limit is ${MAX_FILES}`),
    );
  }
  return { paths: named.map(({ path }) => path), refusals, others: changed.length - inFolder.length };
}

export interface SubmissionFile {
  path: string;
  blobSha: string;
  text: string;
}

/** Reads a submission file listed in `folder`. */
export async function readSubmission(
  github: Installation,
  address: PullAddress,
  folder: readonly TreeEntry[],
  path: string,
): Promise<SubmissionFile | Refusal> {
  const entry = entryIn(folder, path);
  if (entry === undefined) return toRefusal(path, "not a regular file at this commit");
  if (entry.size > MAX_ENTRY_BYTES) {
    return toRefusal(path, `the file has ${bytesText(entry.size)} bytes; the limit is ${bytesText(MAX_ENTRY_BYTES)}`);
  }
  const bytes = await github.blob(address, entry.sha);
  if (gitHash(bytes, entry.sha.length) !== entry.sha)
    throw new Error(`GitHub returned other content for blob ${entry.sha}`);
  try {
    return { path, blobSha: entry.sha, text: decodeUtf8(bytes) };
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    return toRefusal(path, error.message);
  }
}

/** Returns the regular file at a path of the folder; undefined if missing. */
export function entryIn(folder: readonly TreeEntry[], path: string): TreeEntry | undefined {
  return folder.find(
    (entry) => `${FOLDER}/${entry.path}` === path && entry.type === "blob" && ORDINARY.has(entry.mode),
  );
}

export function isRefusal(found: SubmissionFile | Refusal): found is Refusal {
  return "faults" in found;
}

function toRefusal(path: string | null, what: string): Refusal {
  return { path, faults: [{ key: null, severity: "error", what }] };
}

function bytesText(bytes: number): string {
  return bytes.toLocaleString("en-US");
}

/** Computes the object id of a git blob: SHA-1, or SHA-256 in repositories of that format. */
function gitHash(bytes: Uint8Array, length: number): string {
  const hash = createHash(length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
}
