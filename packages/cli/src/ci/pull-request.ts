/** The pull request of a GitHub Actions job, and the comment on it. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { UsageError } from "../command/exit.ts";
import { MARK } from "./report.ts";

interface PullRequest {
  /** OWNER/NAME. */
  repository: string;
  number: number;
  /** Whether its commits are in another repository, so that the job has no secrets. */
  isFromFork: boolean;
}

const Repository = z.object({ full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/) });
const Event = z.object({
  repository: Repository,
  /** The repository of the head is null when it was deleted. */
  pull_request: z.object({ number: z.int(), head: z.object({ repo: Repository.nullable() }) }).optional(),
});
const Comment = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ type: z.string() }).nullish(),
});

/** Maximum length of a comment; GitHub accepts 65,536 characters. */
const MAX_COMMENT = 60_000;
const PAGE = 100;
const MAX_PAGES = 10;
const TIMEOUT_MS = 30_000;

/** Reads the event of the job; null outside GitHub Actions, and for other events. */
export async function readPullRequest({
  GITHUB_EVENT_PATH: path = "",
}: NodeJS.ProcessEnv): Promise<PullRequest | null> {
  if (path === "") return null;
  const { repository, pull_request: pull } = Event.parse(JSON.parse(await readFile(path, "utf8")));
  if (pull === undefined) return null;
  const { full_name } = repository;
  return { repository: full_name, number: pull.number, isFromFork: pull.head.repo?.full_name !== full_name };
}

/**
 * Writes the comment of the job, or edits the one that an earlier job wrote. Where GitHub refuses it, warns: the report
 * is in the log and the summary, too.
 * @throws UsageError without GITHUB_TOKEN.
 */
export async function writeComment(
  { GITHUB_TOKEN: token = "", GITHUB_API_URL: api = "https://api.github.com" }: NodeJS.ProcessEnv,
  { repository, number }: PullRequest,
  body: string,
): Promise<void> {
  if (token === "") throw new UsageError("--comment requires GITHUB_TOKEN");
  const call = async (method: string, path: string, content?: object): Promise<unknown> => {
    const response = await fetch(`${api}/repos/${repository}/issues/${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "user-agent": "kernelbot",
        "x-github-api-version": "2022-11-28",
      },
      ...(content !== undefined && { body: JSON.stringify(content) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      const advice = response.status === 403 ? "; the job needs permissions: pull-requests: write" : "";
      throw new Error(`GitHub responded with ${response.status}${advice}`);
    }
    return response.json();
  };
  try {
    const existing = await findComment((page) => call("GET", `${number}/comments?per_page=${PAGE}&page=${page}`));
    const comment = { body: cutToLines(body) };
    if (existing === null) await call("POST", `${number}/comments`, comment);
    else await call("PATCH", `comments/${existing}`, comment);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The comment was not written: ${reason}.`);
  }
}

/** Returns a report that fits into a comment. */
function cutToLines(report: string): string {
  if (report.length <= MAX_COMMENT) return report;
  return `${report.slice(0, report.lastIndexOf("\n", MAX_COMMENT))}\n\nThe summary of the job contains the complete report.`;
}

/** Returns the id of the comment of an earlier job. Comments of people are not edited, whatever they begin with. */
async function findComment(read: (page: number) => Promise<unknown>): Promise<number | null> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const comments = z.array(Comment).parse(await read(page));
    const own = comments.find(({ body, user }) => user?.type === "Bot" && body?.startsWith(MARK) === true);
    if (own !== undefined) return own.id;
    if (comments.length < PAGE) return null;
  }
  return null;
}
