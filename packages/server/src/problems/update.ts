/** Syncs the problems of a branch of a GitHub repository. */
import { existsSync } from "node:fs";
import { KernelBotError, quote, type ProblemVisibility } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { audited } from "../auth/audit.ts";
import { withProblemsOf, type Branch } from "./archive.ts";
import { problemDirectories, syncProblems, type Synced } from "./sync.ts";

export interface Update extends Branch {
  /** Only this set; null for all sets. */
  problemSet: string | null;
  /** Whether to change problems whose boards have entries. */
  force: boolean;
  /** Visibility that each problem must have afterwards; null: public if new, else unchanged. */
  visibility: ProblemVisibility | null;
}

/**
 * Fetches a branch and syncs its problems.
 * @param archives See `withProblemsOf`.
 * @throws KernelBotError `forbidden` if the caller is not an administrator; `not_found` if the branch has no problems
 * or not this set; the errors of `withProblemsOf`.
 */
export async function updateProblems(
  database: Database,
  identity: Identity,
  archives: string,
  { problemSet, force, visibility, ...branch }: Update,
): Promise<Synced> {
  requireRole(identity, "administrator");
  const synced = await withProblemsOf(archives, branch, async (folder) => {
    await requireProblems(folder, problemSet, branch);
    return syncProblems(database, folder, {
      only: (set) => problemSet === null || set === problemSet,
      keepRanked: !force,
      reopen: true,
      ...(visibility !== null && { visibility: { requested: visibility, identity } }),
      origin: {
        source: `https://github.com/${branch.repository}`,
        revision: branch.branch,
        accountId: identity.account.id,
      },
    });
  });
  await audited(database, identity, "update", "problems", { ...branch, problemSet, force, visibility });
  return synced;
}

async function requireProblems(
  folder: string,
  problemSet: string | null,
  { repository, branch }: Branch,
): Promise<void> {
  const found = existsSync(folder) ? await problemDirectories(folder) : [];
  const sets = [...new Set(found.map(({ set }) => set))];
  const where = `branch ${quote(branch)} of ${quote(repository)}`;
  if (sets.length === 0) {
    throw new KernelBotError(
      "not_found",
      `${where} has no problems: a problem is a directory problems/SET/NAME with a task.yml`,
    );
  }
  if (problemSet !== null && !sets.includes(problemSet)) {
    throw new KernelBotError(
      "not_found",
      `problem set ${quote(problemSet)} not found in ${where}; its sets are ${sets.join(", ")}`,
    );
  }
}
