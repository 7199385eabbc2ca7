/** Taking the problems of a branch of a repository at GitHub. */
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { audited } from "../people/audit.ts";
import { withProblemsOf, type Branch } from "./archive.ts";
import { syncProblems, type Synced } from "./sync.ts";

export interface Update extends Branch {
  /** This set alone; null for all of them. */
  problemSet: string | null;
  /** Whether boards that have entries are changed too. */
  force: boolean;
}

/**
 * @param archives As of `withProblemsOf`.
 * @throws KernelBotError `forbidden` but for administrators; as `withProblemsOf`.
 */
export async function updateProblems(
  database: Database,
  identity: Identity,
  archives: string,
  { problemSet, force, ...branch }: Update,
): Promise<Synced> {
  requireRole(identity, "administrator");
  const synced = await withProblemsOf(archives, branch, (folder) =>
    syncProblems(database, folder, {
      only: (set) => problemSet === null || set === problemSet,
      keepRanked: !force,
      reopen: true,
      origin: {
        source: `https://github.com/${branch.repository}`,
        revision: branch.branch,
        accountId: identity.account.id,
      },
    }),
  );
  await audited(database, identity, "update", "problems", { ...branch, problemSet, force });
  return synced;
}
