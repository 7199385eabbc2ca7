/** Stores a problem version and its boards. */
import { sql, type Transaction } from "kysely";
import {
  canonicalJson,
  KernelBotError,
  problemChanges,
  ProblemSpec,
  quote,
  isSameRevision,
  type RevisionChange,
  type Change,
  type Problem,
} from "@kernelbot/core";
import { json } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

interface StoredProblem {
  set: string;
  /** KernelBench suite of the problem; null for all other problems. */
  suite: string | null;
  problem: Problem;
  version: string;
}

/** Origin of a problem version. */
export interface Origin {
  /** URL of the source; null for the server's own folder. */
  source: string | null;
  /** Revision of the source, such as a branch. */
  revision: string | null;
  /** Account that adds the version; null at server start. */
  accountId: string | null;
}

const OWN_FOLDER: Origin = { source: null, revision: null, accountId: null };

export interface StoreOptions {
  origin?: Origin;
  /** Keeps the current version if the new one would start a new revision of a board that has entries. */
  keepRanked?: boolean;
  /**
   * Keeps the current version if the problem comes from the server's own folder and the new version does not, or the
   * other way round.
   */
  keepForeign?: boolean;
  /** Number of a new problem, which must be free; by default the next one. */
  number?: number | undefined;
  /** Opens retired boards even if the problem is unchanged. */
  reopen?: boolean;
}

/** Result of storing a problem, or why it was kept as it is. */
export type Stored =
  | { created: boolean; changed: boolean; changes: Change[]; boardRevisions: RevisionChange[] }
  | { kept: string; because: "foreign" | "entries" };

/**
 * Makes a problem version the current one and updates its boards, unless the options say to keep the problem as it is.
 * @throws KernelBotError `conflict` if the name is used by a problem of another suite or of none, or by an imported
 * problem.
 */
export async function storeProblem(
  transaction: Transaction<Tables>,
  { set, suite, problem, version }: StoredProblem,
  { origin = OWN_FOLDER, keepRanked = false, keepForeign = false, number, reopen = false }: StoreOptions = {},
): Promise<Stored> {
  const { name } = problem.spec;
  // Servers that start at the same time store the same problems. An advisory lock, because a row that does not exist
  // yet cannot be locked.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`problem ${name}`}, 0))`.execute(transaction);
  const before = await transaction
    .selectFrom("problem")
    .innerJoin("problem_version as v", "v.hash", "problem.version")
    .select(["version", "set_name", "suite", "source", "v.spec", "v.files"])
    .where("name", "=", name)
    .forNoKeyUpdate("problem")
    .executeTakeFirst();
  if (before !== undefined && before.suite !== suite) {
    const whose = before.suite === null ? "is not in a suite" : `belongs to the suite ${before.suite}`;
    throw new KernelBotError("conflict", `a problem named ${quote(name)} already exists and ${whose}`);
  }
  await refuseImported(transaction, name);
  const changed = before?.version !== version || before.set_name !== set;
  const { source, revision, accountId } = origin;
  const isForeign = keepForeign && before !== undefined && (before.source === null) !== (source === null);
  if (changed && isForeign) {
    return { kept: `it comes from ${before.source ?? "the server's own folder of problems"}`, because: "foreign" };
  }
  const boardRevisions = await revisionsOf(transaction, problem, version);
  const changedRevisions = boardRevisions.filter(({ before, revision }) => before !== null && before !== revision);
  if (keepRanked && (await hasEntries(transaction, name, changedRevisions))) {
    return { kept: "a new version would reset its board, which has entries", because: "entries" };
  }
  const changes = before === undefined ? [] : problemChanges(parsed(before), problem);
  if (before !== undefined && before.source !== source && !isForeign) {
    await transaction.updateTable("problem").set({ source }).where("name", "=", name).execute();
  }
  const stored = {
    created: before === undefined,
    ...{ changed, changes },
    boardRevisions: changedRevisions.map(({ target, revision, isNew }) => ({ target, revision, isNew })),
  };
  if (!changed && !reopen) return stored;
  await transaction.updateTable("board").set({ accepts: false }).where("problem", "=", name).execute();
  await transaction
    .insertInto("problem_version")
    .values({ hash: version, problem: name, spec: json(problem.spec), files: json(problem.files) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await transaction
    .insertInto("problem")
    .values({ name, set_name: set, suite, version, source, ...(number !== undefined && { number }) })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ set_name: set, version, updated_at: new Date() }))
    .execute();
  await transaction
    .insertInto("seed_master")
    .values({ problem: name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Only a problem that was adopted without targets has no boards.
  if (boardRevisions.length > 0) {
    await transaction
      .insertInto("board")
      .values(
        boardRevisions.map(({ target, revision }) => ({ problem: name, target, accepts: true, version, revision })),
      )
      .onConflict((conflict) =>
        conflict.columns(["problem", "target"]).doUpdateSet((of) => ({
          ...{ accepts: true, version, revision: of.ref("excluded.revision") },
        })),
      )
      .execute();
  }
  if (before !== undefined) await carryApplicationResults(transaction, before, { problem, version }, boardRevisions);
  if (before?.version !== version) {
    await transaction
      .insertInto("problem_change")
      .values({ problem: name, version, account_id: accountId, source, revision, changes: json(changes) })
      .execute();
  }
  return stored;
}

/**
 * Copies the results of the application from the version before, on the boards whose revision stays the same, if the
 * application and its cases are the same; otherwise its results are stale.
 */
async function carryApplicationResults(
  transaction: Transaction<Tables>,
  before: Problem & { version: string },
  { problem, version }: Pick<StoredProblem, "problem" | "version">,
  revisions: readonly TargetRevision[],
): Promise<void> {
  const applicationOf = ({ spec: { application, benchmarks, targets }, files }: Problem) =>
    canonicalJson({
      ...{ cases: application?.cases, rtol: application?.rtol, timeoutS: application?.timeoutS },
      ...{ hiddenCases: application?.hiddenCases, atBenchmarks: application?.atBenchmarks },
      ...(application?.atBenchmarks && { benchmarks, targets }),
      file: files["application.py"],
    });
  if (before.version === version || applicationOf(before) !== applicationOf(problem)) return;
  const same = revisions.filter(({ before: shown, revision }) => shown === revision).map(({ target }) => target);
  await sql`
    insert into application_result (code_hash, language, problem_version, target, validation, is_validated, unsandboxed, checked_at)
    select code_hash, language, ${version}, target, validation, is_validated, unsandboxed, checked_at from application_result
    where problem_version = ${before.version} and target = any(${same}::text[])
    on conflict do nothing`.execute(transaction);
}

async function refuseImported(transaction: Transaction<Tables>, name: string): Promise<void> {
  const imported = await transaction
    .selectFrom("imported_problem")
    .select("source")
    .where("problem", "=", name)
    .executeTakeFirst();
  if (imported === undefined) return;
  throw new KernelBotError(
    "conflict",
    `there is a problem ${quote(name)} already, which was imported from ${imported.source}; give this one another name`,
  );
}

/** Returns whether a board of one of these targets has entries. */
async function hasEntries(
  transaction: Transaction<Tables>,
  problem: string,
  targets: readonly RevisionChange[],
): Promise<boolean> {
  if (targets.length === 0) return false;
  const named = targets.map(({ target }) => target);
  const entry = transaction.selectFrom("unfrozen_board_entry").select("run_id").where("problem", "=", problem);
  return (await entry.where("target", "in", named).limit(1).execute()).length > 0;
}

/** Parses a stored version, which adds the defaults of fields that the format has gained since. */
function parsed({ spec, files }: Problem): Problem {
  return { spec: ProblemSpec.parse(spec), files };
}

interface TargetRevision extends RevisionChange {
  /** Revision that the board shows now; null without a board. */
  before: number | null;
}

/**
 * Returns, for each target of a problem, the revision of its board to which the version belongs. Versions between which
 * nothing changed that is judged or timed share a revision.
 */
async function revisionsOf(
  transaction: Transaction<Tables>,
  problem: Problem,
  version: string,
): Promise<TargetRevision[]> {
  const known = await transaction
    .selectFrom("board_revision as e")
    .innerJoin("board", (join) => join.onRef("board.problem", "=", "e.problem").onRef("board.target", "=", "e.target"))
    .select(["e.problem_version", "e.target", "e.revision", "board.revision as shown"])
    .where("e.problem", "=", problem.spec.name)
    .orderBy("e.revision", "desc")
    .orderBy("e.created_at", "desc")
    .execute();
  const versions = new Map<string, Problem>();
  const versionOf = async (hash: string): Promise<Problem> => {
    const loaded = versions.get(hash) ?? parsed(await loadVersion(transaction, hash));
    versions.set(hash, loaded);
    return loaded;
  };
  const boardRevisions: TargetRevision[] = [];
  for (const target of Object.keys(problem.spec.targets)) {
    const ofTarget = known.filter((one) => one.target === target);
    let revision = ofTarget.find((one) => one.problem_version === version)?.revision;
    for (const one of ofTarget) {
      // All versions of a revision are equivalent, so comparing one of them is enough.
      if (revision !== undefined) break;
      if (ofTarget.find((first) => first.revision === one.revision) !== one) continue;
      if (isSameRevision(await versionOf(one.problem_version), problem, target)) revision = one.revision;
    }
    const newest = ofTarget[0];
    boardRevisions.push({
      target,
      revision: revision ?? (newest?.revision ?? 0) + 1,
      isNew: revision === undefined,
      before: newest?.shown ?? null,
    });
  }
  return boardRevisions;
}

function loadVersion(transaction: Transaction<Tables>, hash: string): Promise<Problem> {
  return transaction
    .selectFrom("problem_version")
    .select(["spec", "files"])
    .where("hash", "=", hash)
    .executeTakeFirstOrThrow();
}
