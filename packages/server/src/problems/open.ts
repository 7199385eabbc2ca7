/** Taking problems again from the server's own folder, for those who look after them. */
import { KernelBotError, quote, type ProblemVisibility } from "@kernelbot/core";
import { requireFreeOrOwn } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import { audited } from "../people/audit.ts";
import { syncProblems, type Synced } from "./sync.ts";

/**
 * Opens the boards of a directory below the folder, `SET/PROBLEM` or `PROBLEM`, also where they were taken away.
 * @param visibility The one that the problem must have afterwards; null for public where it is new, and else unchanged.
 * @returns the name of the problem.
 * @throws KernelBotError `forbidden` but for organisers, and for a problem of another's competition; `not_found`;
 * `unprocessable` where the directory is broken.
 */
export async function openProblem(
  database: Database,
  identity: Identity,
  folder: string,
  { directory, visibility }: { directory: string; visibility: ProblemVisibility | null },
): Promise<string> {
  requireRole(identity, "organiser");
  const wanted = directory.replace(/\/+$/, "");
  await retrying(() => requireFreeOrOwn(database.db, identity, wanted.split("/").at(-1) ?? ""));
  const synced = await syncProblems(database, folder, {
    only: (set, name) => wanted === name || wanted === `${set}/${name}`,
    reopen: true,
    ...(visibility !== null && { visibility: { wanted: visibility, identity } }),
    origin: { source: null, revision: null, accountId: identity.account.id },
  });
  const [broken] = synced.broken;
  if (broken !== undefined) throw new KernelBotError("unprocessable", broken.message);
  const [problem] = synced.problems;
  if (problem === undefined) {
    throw new KernelBotError("not_found", `there is no problem directory ${quote(directory)} in the server's problems`);
  }
  await audited(database, identity, "open", `problem ${problem.name}`);
  return problem.name;
}

/**
 * Takes what has changed in the folder; a board that has entries stays as it is.
 * @throws KernelBotError `forbidden` but for administrators.
 */
export async function takeProblems(database: Database, identity: Identity, folder: string): Promise<Synced> {
  requireRole(identity, "administrator");
  const synced = await syncProblems(database, folder, {
    keepRanked: true,
    keepForeign: true,
    origin: { source: null, revision: null, accountId: identity.account.id },
  });
  await audited(database, identity, "update", "problems", { folder });
  return synced;
}
