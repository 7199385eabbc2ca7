/** Takes a tree of problems that an organiser sent, or says what that would change. */
import { sql, type Transaction } from "kysely";
import { KernelBotError, type SyncedProblem, type SyncReport, type SyncRequest } from "@kernelbot/core";
import { reachable } from "../competitions/access.ts";
import { requireFreeOrOwn } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { audit } from "../people/audit.ts";
import { storeProblem, type Origin } from "./store.ts";
import { problemsOf, type FoundProblem } from "./tree.ts";

/** Undoes what a dry run has done, so that its report is what the same work answers. */
class DryRun extends Error {}

/**
 * Takes each problem whole or not at all; a broken one stops no other.
 * @throws KernelBotError `forbidden` but for organisers; `unprocessable` where there is no problem.
 */
export async function syncRequested(
  database: Database,
  identity: Identity,
  { source, revision, set, dryRun, files }: SyncRequest,
): Promise<SyncReport> {
  requireRole(identity, "organiser");
  const found = await problemsOf(files, set);
  if (found.length === 0) {
    const where = set === null ? "there is no directory with a task.yml" : `there is no problem of the set ${set}`;
    throw new KernelBotError("unprocessable", `${where} in what was sent`);
  }
  const origin: Origin = { source, revision, accountId: identity.account.id };
  let problems: SyncedProblem[] = [];
  try {
    await retrying(() =>
      database.db.transaction().execute(async (transaction) => {
        problems = [];
        for (const one of found) problems.push(await taken(transaction, identity, one, origin));
        problems.push(...(await gone(transaction, identity, found, { source, set })));
        if (dryRun) throw new DryRun();
        await audit(transaction, identity, "sync", "problems", { source, revision, set, ...namesOf(problems) });
      }),
    );
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  problems.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { source, revision, set, dryRun, problems };
}

async function taken(
  transaction: Transaction<Tables>,
  identity: Identity,
  { name, set, path, read }: FoundProblem,
  origin: Origin,
): Promise<SyncedProblem> {
  const refused = (why: string): SyncedProblem => ({
    ...{ name, path, why, outcome: "refused", version: null, changes: [], targets: [], editions: [] },
  });
  if ("error" in read) return refused(read.error);
  await sql`savepoint problem`.execute(transaction);
  try {
    await requireFreeOrOwn(transaction, identity, name);
    const stored = await storeProblem(transaction, { set, suite: null, ...read }, { origin });
    if ("kept" in stored) return refused(stored.kept);
    const outcome = stored.created ? "new" : stored.changed ? "changed" : "unchanged";
    const targets = Object.keys(read.problem.spec.targets);
    const { changes, editions } = stored;
    return { name, path, outcome, why: null, version: read.version, changes, targets, editions };
  } catch (error) {
    if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
    await sql`rollback to savepoint problem`.execute(transaction);
    return refused(error.message);
  } finally {
    await sql`release savepoint problem`.execute(transaction).catch(() => undefined);
  }
}

/** What came from this source once and lies there no more. */
async function gone(
  transaction: Transaction<Tables>,
  identity: Identity,
  found: readonly FoundProblem[],
  { source, set }: Pick<SyncRequest, "source" | "set">,
): Promise<SyncedProblem[]> {
  const rows = await transaction
    .selectFrom("problem")
    .innerJoin("problem_version as v", "v.hash", "problem.version")
    .select(["name", "version", "v.spec"])
    .where("source", "=", source)
    .$if(set !== null, (query) => query.where("set_name", "=", set as string))
    .where(reachable(identity, "problem.competition"))
    .execute();
  return rows
    .filter(({ name }) => found.every((one) => one.name !== name))
    .map(({ name, version, spec }) => ({
      ...{ name, path: null, outcome: "gone", why: null, version, changes: [], targets: Object.keys(spec.targets), editions: [] },
    }));
}

/** The names of those of which something was changed, or refused. */
function namesOf(problems: readonly SyncedProblem[]): Record<string, string[]> {
  const named = (outcome: SyncedProblem["outcome"]) =>
    problems.filter((one) => one.outcome === outcome).map(({ name }) => name);
  return { created: named("new"), changed: named("changed"), refused: named("refused") };
}
