/** Syncs the problems and competitions of a branch of a GitHub repository. */
import { existsSync } from "node:fs";
import { KernelBotError, quote, type SyncReport, type SyncRequest } from "@kernelbot/core";
import { readProblemTree } from "@kernelbot/tester/problem-tree";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { withProblemsOf, type Branch } from "./archive.ts";
import { syncTree } from "./request.ts";
import { listSets } from "./tree.ts";

export interface Update extends Branch, Pick<SyncRequest, "visibility" | "prefix"> {
  /** Only this set, or the problems of the competition file with this name; null for all. */
  problemSet: string | null;
  /** Whether to change problems whose boards have entries, and to replace problems of the server's own folder. */
  force: boolean;
}

/**
 * Fetches a branch and syncs its problems, with the names, targets, deadlines and competitions that the competition files
 * in its folder `problems` state.
 * @param archives See `withProblemsOf`.
 * @throws KernelBotError `forbidden` if the caller is not an administrator; `not_found` if the branch has no problems or
 * not this set; the errors of `withProblemsOf`.
 */
export async function updateProblems(
  database: Database,
  identity: Identity,
  archives: string,
  { problemSet, force, visibility, prefix, ...branch }: Update,
): Promise<SyncReport> {
  requireRole(identity, "administrator");
  const where = `branch ${quote(branch.branch)} of ${quote(branch.repository)}`;
  const files = await withProblemsOf(archives, branch, async (folder) => {
    if (!existsSync(folder)) throw new KernelBotError("not_found", `${where} has no folder problems`);
    try {
      return await readProblemTree(folder);
    } catch (error) {
      // The path of the temporary folder means nothing to the caller.
      if (!(error instanceof KernelBotError)) throw error;
      throw new KernelBotError("not_found", error.message.replaceAll(quote(folder), where), { cause: error });
    }
  });
  const sets = listSets(files);
  if (problemSet !== null && !sets.includes(problemSet)) {
    throw new KernelBotError(
      "not_found",
      `problem set ${quote(problemSet)} not found in ${where}; its sets are ${sets.join(", ")}`,
    );
  }
  const source = `https://github.com/${branch.repository}`;
  const request = { source, revision: branch.branch, set: problemSet, visibility, prefix, dryRun: false, files };
  const onCollision = force ? "replace" : "refuse_problem";
  return syncTree(database, identity, request, { onCollision, keepRanked: !force, reopen: true });
}
