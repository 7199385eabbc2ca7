/**
 * The submission files of a pull request. Which ones it changes is GitHub's word; what they hold is read from the commit
 * that was labelled, as bytes whose hash is the one that git names. Nothing of it is ever executed here.
 */
import { createHash } from "node:crypto";
import { MAX_ENTRY_BYTES, type EntryFault } from "@kernelbot/core";
import type { ChangedFile, Installation, PullAddress, TreeEntry } from "./github.ts";

export const FOLDER = "submissions";

/** Files that one pull request may have evaluated. */
export const MAX_FILES = 5;

/** `submissions/NAME.json`, with a name that is the same everywhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.json$/;
/** What was meant as a submission file, as far as a name can tell. */
const MEANT = /^submissions\/.*\.json$/is;

/** An ordinary file in git; others are symbolic links, submodules and folders. */
const ORDINARY = new Set(["100644", "100755"]);

/** What is wrong with one file, or with all where the path is null. */
export interface Refusal {
  path: string | null;
  faults: EntryFault[];
}

export interface Selected {
  /** Paths of submission files that it adds or changes. */
  paths: string[];
  refusals: Refusal[];
  /** How many others it changes, which nobody looks at. */
  others: number;
}

/** Which of the changed files are evaluated. */
export function selectFiles(changed: readonly ChangedFile[]): Selected {
  const meant = changed.filter(
    ({ path, status }) => MEANT.test(path) && status !== "removed" && status !== "unchanged",
  );
  const named = meant.filter(({ path }) => NAME.test(path.slice(FOLDER.length + 1)));
  const refusals = meant
    .filter((file) => !named.includes(file))
    .map(({ path }) =>
      refused(path, `name it ${FOLDER}/NAME.json, where NAME is letters, digits, _, - and . (at most 100)`),
    );
  if (meant.length === 0) refusals.push(refused(null, `there is no file ${FOLDER}/NAME.json that it adds or changes`));
  if (named.length > MAX_FILES) {
    refusals.push(refused(null, `it changes ${named.length} submission files; ${MAX_FILES} are the most at once`));
  }
  return { paths: named.map(({ path }) => path), refusals, others: changed.length - meant.length };
}

export interface SubmissionFile {
  path: string;
  blobSha: string;
  text: string;
}

/** Reads a file out of what the folder holds. */
export async function readSubmission(
  github: Installation,
  address: PullAddress,
  folder: readonly TreeEntry[],
  path: string,
): Promise<SubmissionFile | Refusal> {
  const entry = entryIn(folder, path);
  if (entry === undefined) return refused(path, "it is no ordinary file at this commit");
  if (entry.size > MAX_ENTRY_BYTES) {
    return refused(path, `it has ${bytesText(entry.size)} bytes; ${bytesText(MAX_ENTRY_BYTES)} are the most`);
  }
  const bytes = await github.blob(address, entry.sha);
  if (gitHash(bytes, entry.sha.length) !== entry.sha) throw new Error(`GitHub did not give the whole of ${entry.sha}`);
  const text = utf8(bytes);
  return text === null ? refused(path, "it is not text in UTF-8") : { path, blobSha: entry.sha, text };
}

/** The ordinary file at a path of the folder. */
export function entryIn(folder: readonly TreeEntry[], path: string): TreeEntry | undefined {
  return folder.find(
    (entry) => `${FOLDER}/${entry.path}` === path && entry.type === "blob" && ORDINARY.has(entry.mode),
  );
}

export function isRefusal(found: SubmissionFile | Refusal): found is Refusal {
  return "faults" in found;
}

function refused(path: string | null, what: string): Refusal {
  return { path, faults: [{ key: null, severity: "error", what }] };
}

function bytesText(bytes: number): string {
  return bytes.toLocaleString("en-US");
}

/** How git names a content: by SHA-1, or in newer repositories by SHA-256. */
function gitHash(bytes: Uint8Array, length: number): string {
  const hash = createHash(length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
