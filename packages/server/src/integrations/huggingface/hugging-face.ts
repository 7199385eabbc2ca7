/**
 * Publishes to a dataset on the Hugging Face Hub, whose newest commit is the newest snapshot. Files are addressed by
 * SHA-256, so the hub reports which ones it already has, and rejects contents that do not match their hash.
 */
import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import type { CommitOperation, RepoId } from "@huggingface/hub";
import { sanitize, oneLine } from "@kernelbot/core";
import { competitionFiles, SHARED_FILES } from "@kernelbot/dataset";
import type { HuggingFaceOptions } from "./options.ts";
import { fetchWithRetries, type RetryOptions } from "./fetch-with-retries.ts";
import { PublicationError, type LocalFile, type Destination } from "../../dataset/publish/destination.ts";

type Hub = typeof import("@huggingface/hub");

/** Delay before a retry when the dataset was changed concurrently or an upload URL expired, in milliseconds. */
const SOON_MS = 5000;

/** Options of every request. */
interface Access {
  accessToken: string;
  hubUrl: string;
  fetch: typeof fetch;
}

export function openHuggingFace(options: HuggingFaceOptions, wait?: RetryOptions["wait"]): Destination {
  const { repository, hubUrl, token } = options;
  const repo = { type: "dataset", name: repository } satisfies RepoId;
  const { origin } = new URL(hubUrl);
  return {
    name: "hugging_face",
    // Earlier snapshots remain available by commit id.
    keepsEarlier: true,
    async publish({ manifest, files }, onProgress, signal) {
      // Loaded on demand.
      const hub = await import("@huggingface/hub");
      const patient = fetchWithRetries({ origin, signal, ...(wait && { wait }) });
      const access = { accessToken: token, hubUrl, fetch: patient };
      try {
        const head = await headOf(hub, repo, access);
        const there = await filesAt(hub, repo, access, head);
        const changed = await changedFiles(files, there);
        const paths = new Set(files.map(({ path }) => path));
        const gone = [...there.keys()].filter((path) => !paths.has(path) && isOfASnapshot(path));
        const done = { files: files.length - changed.length, bytes: sum(files) - sum(changed) };
        onProgress(done);
        const pageOf = (commit: string): string => `${hubUrl}/datasets/${repository}/tree/${commit}`;
        if (changed.length + gone.length === 0) return pageOf(head);

        const operations: CommitOperation[] = gone.map((path) => ({ operation: "delete", path }));
        for (const { path, at } of changed) {
          operations.push({ operation: "addOrUpdate", path, content: await openAsBlob(at) });
        }
        const sizes = new Map(changed.map(({ path, sizeBytes }) => [path, sizeBytes]));
        const steps = hub.commitIter({
          ...access,
          repo,
          operations,
          title: `Snapshot ${manifest.id}`,
          description: `Data as of ${manifest.asOf}: ${manifest.competitions.map(({ name }) => name).join(", ")}.`,
          // The commit fails if another one was made meanwhile; a repeated commit whose response was lost fails as
          // well.
          parentCommit: head,
          abortSignal: signal,
          useXet: false,
        });
        for (;;) {
          const step = await steps.next();
          if (step.done === true) return pageOf(step.value?.commit.oid ?? "main");
          if (step.value.event !== "fileProgress" || step.value.state !== "uploading" || step.value.progress < 1)
            continue;
          done.files += 1;
          done.bytes += sizes.get(step.value.path) ?? 0;
          onProgress(done);
        }
      } catch (error) {
        signal.throwIfAborted();
        throw toPublicationError(hub, error, options, origin);
      }
    },
  };
}

/** Returns the newest commit of the dataset; creates the dataset when it is missing. */
async function headOf(hub: Hub, repo: RepoId, access: Access): Promise<string> {
  const head = async (): Promise<string> =>
    (await hub.datasetInfo({ ...access, name: repo.name, revision: "main", additionalFields: ["sha"] })).sha;
  try {
    return await head();
  } catch (error) {
    if (!(error instanceof hub.HubApiError) || error.statusCode !== 404) throw error;
  }
  await hub.createRepo({ ...access, repo });
  return head();
}

/** Returns the files of the dataset by path: the SHA-256 of a large file (LFS), or the git blob id of a small one. */
async function filesAt(hub: Hub, repo: RepoId, access: Access, revision: string): Promise<Map<string, string>> {
  const there = new Map<string, string>();
  for await (const entry of hub.listFiles({ ...access, repo, revision, recursive: true })) {
    if (entry.type === "file") there.set(entry.path, entry.lfs?.oid ?? entry.oid ?? "");
  }
  return there;
}

async function changedFiles(files: readonly LocalFile[], there: ReadonlyMap<string, string>): Promise<LocalFile[]> {
  const changed: LocalFile[] = [];
  for (const file of files) {
    const id = there.get(file.path);
    const isThere = id !== undefined && (id === file.sha256 || (id.length === 40 && id === (await gitName(file))));
    if (!isThere) changed.push(file);
  }
  return changed;
}

async function gitName({ at, sizeBytes }: LocalFile): Promise<string> {
  const hash = createHash("sha1").update(`blob ${sizeBytes}\0`);
  return hash.update(await readFile(at)).digest("hex");
}

/** Returns whether snapshots contain such a path. Other files of the dataset are never changed. */
function isOfASnapshot(path: string): boolean {
  const [first = ""] = path.split("/");
  return [...SHARED_FILES, ...competitionFiles(first)].some((file) => file.path === path);
}

function sum(files: readonly LocalFile[]): number {
  return files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
}

function toPublicationError(
  hub: Hub,
  error: unknown,
  { repository, token }: HuggingFaceOptions,
  origin: string,
): Error {
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
