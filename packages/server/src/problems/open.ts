/** Syncs problems from the server's own folder, on request. */
import { basename } from "node:path";
import { KernelBotError, quote, type ProblemVisibility } from "@kernelbot/core";
import { requireFreeOrOwn } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { audited } from "../auth/audit.ts";
import { problemDirectories, syncProblems, type FoundDirectory, type Synced } from "./sync.ts";

/**
 * Syncs the problem of one directory below the folder, `SET/PROBLEM`, `PROBLEM` or its name, and opens its boards, also if they
 * were retired.
 * @param visibility Visibility that the problem must have afterwards; null: public if new, else unchanged.
 * @returns the name of the problem.
 * @throws KernelBotError `forbidden` if the caller is not an organiser or another account organises the problem's
 * competition; `not_found`; `unprocessable` if the directory is invalid; `conflict` if a problem of another source has
 * its name.
 */
export async function openProblem(
  database: Database,
  identity: Identity,
  folder: string,
  { directory, visibility }: { directory: string; visibility: ProblemVisibility | null },
): Promise<string> {
  requireRole(identity, "organiser");
  const requested = directory.replace(/\/+$/, "");
  const isRequested = ({ set, name, path }: FoundDirectory): boolean =>
    [name, basename(path), `${set}/${basename(path)}`].includes(requested);
  for (const { name } of (await problemDirectories(folder)).filter(isRequested)) {
    await requireFreeOrOwn(database.db, identity, name);
  }
  const synced = await syncProblems(database, folder, {
    only: isRequested,
    reopen: true,
    keepForeign: true,
    ...(visibility !== null && { visibility: { requested: visibility, identity } }),
    origin: { source: null, revision: null, accountId: identity.account.id },
  });
  const [broken] = synced.broken;
  if (broken !== undefined) throw new KernelBotError("unprocessable", broken.message);
  const [kept] = synced.kept;
  if (kept !== undefined) {
    throw new KernelBotError(
      "conflict",
      `there is another problem ${quote(kept.name)}, which is kept: ${kept.message}`,
    );
  }
  const [problem] = synced.problems;
  if (problem === undefined) {
    throw new KernelBotError("not_found", `the server's problem folder has no problem ${quote(directory)}`);
  }
  await audited(database, identity, "open", `problem ${problem.name}`);
  return problem.name;
}

/**
 * Syncs all changed problems of the folder. A problem is left unchanged if its new version would start a new revision
 * of a board that has entries, or if it comes from another source.
 * @throws KernelBotError `forbidden` if the caller is not an administrator.
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
