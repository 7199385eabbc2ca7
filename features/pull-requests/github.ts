/**
 * GitHub's API as an installation of the App: only the requests that are needed. Responses are limited in size and
 * time, and validated. Refused and unanswered requests throw a `GitHubError`, to be retried later.
 */
import {
  createRequest,
  fallbackOnStatus,
  openOctokits,
  requestBytes,
  type Octokit,
} from "@kernelbot/server/src/integrations/github/client.ts";
import { z } from "zod";
import { Sha } from "./events.ts";
import type { PullRequestOptions } from "./options.ts";

/** A repository and a pull request in it. */
export interface PullAddress {
  owner: string;
  repo: string;
  number: number;
}

interface FoundPull {
  state: "open" | "closed";
  headSha: string;
  labels: string[];
}

export interface ChangedFile {
  path: string;
  status: string;
}

/** Entry of a folder at a commit. */
export interface TreeEntry {
  path: string;
  mode: string;
  type: string;
  sha: string;
  size: number;
}

export type CommitState = "pending" | "success" | "failure" | "error";

export type GitHub = Awaited<ReturnType<typeof openGitHub>>;
export type Installation = ReturnType<GitHub>;

/** GitHub lists at most 3000 changed files. */
const MAX_PAGES = 30;
const PAGE = 100;
const Comment = z.object({ id: z.int().positive() });

/** Opens the API of the App; @returns a function that returns the API for an installation id. */
export async function openGitHub({ appId, privateKey, apiUrl }: PullRequestOptions, signal: AbortSignal) {
  const open = await openOctokits(apiUrl, signal);
  // Each client caches the token of its installation, which is valid for one hour.
  const opened = new Map<number, Octokit>();
  return (installationId: number) => {
    const octokit = opened.get(installationId) ?? open({ appId, privateKey, installationId });
    opened.set(installationId, octokit);
    return installation(octokit, appId);
  };
}

function installation(octokit: Octokit, appId: number) {
  const ask = createRequest(octokit);

  /** Returns all items of a paginated list, up to MAX_PAGES pages. */
  async function all<Shape extends z.ZodType>(
    shape: Shape,
    route: string,
    parameters: Record<string, unknown>,
  ): Promise<z.infer<Shape>[]> {
    const found: z.infer<Shape>[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const more = await ask(z.array(shape), route, { ...parameters, per_page: PAGE, page });
      found.push(...more);
      if (more.length < PAGE) break;
    }
    return found;
  }

  return {
    /** Returns a user's permission in the repository, `none` to `admin`. */
    async permission({ owner, repo }: PullAddress, username: string): Promise<string> {
      const route = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";
      const answer = ask(z.object({ permission: z.string() }), route, { owner, repo, username });
      return (await fallbackOnStatus(answer, 404, { permission: "none" })).permission;
    },

    async pull({ owner, repo, number }: PullAddress): Promise<FoundPull> {
      const shape = z.object({
        state: z.enum(["open", "closed"]),
        head: z.object({ sha: Sha }),
        labels: z.array(z.object({ name: z.string() })),
      });
      const found = await ask(shape, "GET /repos/{owner}/{repo}/pulls/{number}", { owner, repo, number });
      return {
        state: found.state,
        headSha: found.head.sha,
        labels: found.labels.map(({ name }) => name.toLowerCase()),
      };
    },

    async changedFiles({ owner, repo, number }: PullAddress): Promise<ChangedFile[]> {
      const shape = z.object({ filename: z.string(), status: z.string() });
      const files = await all(shape, "GET /repos/{owner}/{repo}/pulls/{number}/files", { owner, repo, number });
      return files.map(({ filename, status }) => ({ path: filename, status }));
    },

    /**
     * Returns the entries of a top-level folder at a commit. Read from the git tree, so that later pushes have no
     * effect.
     */
    async folder({ owner, repo }: PullAddress, commitSha: string, name: string): Promise<TreeEntry[]> {
      const entry = z.object({
        path: z.string(),
        mode: z.string(),
        type: z.string(),
        sha: Sha,
        size: z.number().default(0),
      });
      const shape = z.object({ tree: z.array(entry), truncated: z.boolean().default(false) });
      const route = "GET /repos/{owner}/{repo}/git/trees/{sha}";
      const root = await ask(shape, route, { owner, repo, sha: commitSha });
      const folder = root.tree.find(({ path, type }) => path === name && type === "tree");
      if (folder === undefined) return [];
      return (await ask(shape, route, { owner, repo, sha: folder.sha })).tree;
    },

    async blob({ owner, repo }: PullAddress, sha: string): Promise<Uint8Array> {
      const route = "GET /repos/{owner}/{repo}/git/blobs/{sha}";
      const headers = { accept: "application/vnd.github.raw+json" };
      return requestBytes(octokit, route, { owner, repo, sha, headers });
    },

    async removeLabel({ owner, repo, number }: PullAddress, name: string): Promise<void> {
      const route = "DELETE /repos/{owner}/{repo}/issues/{number}/labels/{name}";
      await fallbackOnStatus(ask(z.unknown(), route, { owner, repo, number, name }), 404, null);
    },

    /** Returns the id of this App's comment that starts with the mark; comments of other authors are ignored. */
    async findComment({ owner, repo, number }: PullAddress, mark: string): Promise<number | null> {
      const shape = Comment.extend({
        body: z.string().nullish(),
        performed_via_github_app: z.object({ id: z.int() }).nullish(),
      });
      const route = "GET /repos/{owner}/{repo}/issues/{number}/comments";
      const comments = await all(shape, route, { owner, repo, number });
      const ours = comments.find(
        ({ body, performed_via_github_app: app }) => app?.id === appId && body?.startsWith(mark) === true,
      );
      return ours?.id ?? null;
    },

    async addComment({ owner, repo, number }: PullAddress, body: string): Promise<number> {
      const route = "POST /repos/{owner}/{repo}/issues/{number}/comments";
      return (await ask(Comment, route, { owner, repo, number, body })).id;
    },

    /** Edits a comment. @returns false when the comment was deleted. */
    async editComment({ owner, repo }: PullAddress, id: number, body: string): Promise<boolean> {
      const route = "PATCH /repos/{owner}/{repo}/issues/comments/{id}";
      const answer = ask(Comment, route, { owner, repo, id, body }).then(() => true);
      return fallbackOnStatus(fallbackOnStatus(answer, 404, false), 410, false);
    },

    async setStatus(
      { owner, repo }: PullAddress,
      sha: string,
      status: { state: CommitState; description: string; target_url: string },
    ): Promise<void> {
      const route = "POST /repos/{owner}/{repo}/statuses/{sha}";
      await ask(z.unknown(), route, { owner, repo, sha, context: "kernelbench", ...status });
    },
  };
}

/** Returns the address of a pull request for a repository OWNER/NAME. */
export function pullAddress(repository: string, number: number): PullAddress {
  const [owner = "", repo = ""] = repository.split("/");
  return { owner, repo, number };
}
