/**
 * Publishes files to a branch of a repository on the Hugging Face Hub, in one commit. Files are addressed by SHA-256, so
 * the hub reports which ones it already has, and rejects contents that do not match their hash.
 */
import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import type { CommitOperation } from "@huggingface/hub";
import { oneLine, sanitize } from "@kernelbot/core";
import { fetchWithRetries, type RetryOptions } from "./fetch-with-retries.ts";
import type { HubOptions } from "./options.ts";
import { PublicationError } from "./publication-error.ts";

type Hub = typeof import("@huggingface/hub");

/** Delay before a retry when the branch was changed concurrently or an upload URL expired, in milliseconds. */
const SOON_MS = 5000;

/** File to publish: its path in the repository, and `at` on the local disk. */
export interface HubFile {
  path: string;
  at: string;
  sizeBytes: number;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
}

/** Desired content of a branch. */
interface BranchContent {
  type: "dataset" | "kernel";
  branch: string;
  files: readonly HubFile[];
  /** Whether a file of the branch that is not in `files` is deleted. */
  isStale: (path: string) => boolean;
  title: string;
  description: string;
}

/** Number of uploaded files and bytes. */
export interface HubProgress {
  files: number;
  bytes: number;
}

export interface PublishOptions extends Omit<RetryOptions, "origin"> {
  onProgress: (progress: HubProgress) => void;
}

/** Options of every request. */
interface Access {
  repo: { type: BranchContent["type"]; name: string };
  accessToken: string;
  hubUrl: string;
  fetch: typeof fetch;
}

/**
 * Makes a branch contain the given files; creates repository and branch where they are missing. Idempotent: files that
 * exist there are not sent again, and nothing is committed if nothing differs.
 * @returns the commit.
 * @throws PublicationError when the upload fails.
 */
export async function publishBranch(
  options: HubOptions,
  { type, branch, files, isStale, title, description }: BranchContent,
  { onProgress, ...retry }: PublishOptions,
): Promise<string> {
  // Loaded on demand.
  const hub = await import("@huggingface/hub");
  const { origin } = new URL(options.hubUrl);
  const access: Access = {
    repo: { type, name: options.repository },
    accessToken: options.token,
    hubUrl: options.hubUrl,
    fetch: fetchWithRetries({ origin, ...retry }),
  };
  try {
    const head = await headOf(hub, access, branch);
    const there = await filesAt(hub, access, head);
    const changed = await changedFiles(files, there);
    const paths = new Set(files.map(({ path }) => path));
    const gone = [...there.keys()].filter((path) => !paths.has(path) && isStale(path));
    const done = { files: files.length - changed.length, bytes: sum(files) - sum(changed) };
    onProgress(done);
    if (changed.length + gone.length === 0) return head;

    const operations: CommitOperation[] = gone.map((path) => ({ operation: "delete", path }));
    for (const { path, at } of changed) {
      operations.push({ operation: "addOrUpdate", path, content: await openAsBlob(at) });
    }
    const sizes = new Map(changed.map(({ path, sizeBytes }) => [path, sizeBytes]));
    const steps = hub.commitIter({
      ...access,
      branch,
      operations,
      title,
      description,
      // The commit fails if another one was made meanwhile; a repeated commit whose response was lost fails as well.
      parentCommit: head,
      abortSignal: retry.signal,
      useXet: false,
    });
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value?.commit.oid ?? branch;
      if (step.value.event !== "fileProgress" || step.value.state !== "uploading" || step.value.progress < 1) continue;
      done.files += 1;
      done.bytes += sizes.get(step.value.path) ?? 0;
      onProgress(done);
    }
  } catch (error) {
    retry.signal.throwIfAborted();
    throw toPublicationError(hub, error, options, origin);
  }
}

/** Returns the newest commit of the branch; creates repository and branch where they are missing. */
async function headOf(hub: Hub, access: Access, branch: string): Promise<string> {
  const existing = await findHead(hub, access, branch);
  if (existing !== null) return existing;
  if ((await findHead(hub, access, "main")) === null) await hub.createRepo(access);
  if (branch !== "main") await hub.createBranch({ ...access, branch });
  return (await findHead(hub, access, branch)) ?? branch;
}

/** Returns the newest commit of a branch; null if the branch or the repository is missing. */
async function findHead(hub: Hub, access: Access, branch: string): Promise<string | null> {
  try {
    for await (const { oid } of hub.listCommits({ ...access, revision: branch, batchSize: 1 })) return oid;
    return null;
  } catch (error) {
    if (error instanceof hub.HubApiError && error.statusCode === 404) return null;
    throw error;
  }
}

/** Returns the files of a commit by path: the SHA-256 of a large file (LFS), or the git blob id of a small one. */
async function filesAt(hub: Hub, access: Access, revision: string): Promise<Map<string, string>> {
  const there = new Map<string, string>();
  for await (const entry of hub.listFiles({ ...access, revision, recursive: true })) {
    if (entry.type === "file") there.set(entry.path, entry.lfs?.oid ?? entry.oid ?? "");
  }
  return there;
}

async function changedFiles(files: readonly HubFile[], there: ReadonlyMap<string, string>): Promise<HubFile[]> {
  const changed: HubFile[] = [];
  for (const file of files) {
    const id = there.get(file.path);
    const isThere = id !== undefined && (id === file.sha256 || (id.length === 40 && id === (await gitName(file))));
    if (!isThere) changed.push(file);
  }
  return changed;
}

async function gitName({ at, sizeBytes }: HubFile): Promise<string> {
  const hash = createHash("sha1").update(`blob ${sizeBytes}\0`);
  return hash.update(await readFile(at)).digest("hex");
}

function sum(files: readonly HubFile[]): number {
  return files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
}

function toPublicationError(hub: Hub, error: unknown, { repository, token }: HubOptions, origin: string): Error {
  if (error instanceof PublicationError) return error;
  if (!(error instanceof hub.HubApiError)) {
    return new PublicationError(`Hugging Face: ${error instanceof Error ? error.message : String(error)}`, SOON_MS, {
      cause: error,
    });
  }
  const { statusCode, url, data } = error;
  const isStorage = URL.parse(url)?.origin !== origin;
  if (isStorage) return new PublicationError(`the storage of Hugging Face rejected a file (${statusCode})`, SOON_MS);
  if (statusCode === 409 || statusCode === 412) {
    return new PublicationError(`${repository} was changed concurrently on Hugging Face`, SOON_MS);
  }
  if (statusCode === 401 || statusCode === 403) {
    const what = `Hugging Face rejected the token (${statusCode})`;
    return new PublicationError(
      `${what}: set KERNELBOT_HUGGING_FACE_TOKEN to a token with write access to ${repository}`,
      null,
    );
  }
  const detail =
    typeof data?.error === "string" ? `: ${oneLine(sanitize(data.error)).replaceAll(token, "…").slice(0, 300)}` : "";
  return new PublicationError(`Hugging Face responded with ${statusCode}${detail}`, null);
}
