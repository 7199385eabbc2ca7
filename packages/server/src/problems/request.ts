/** Syncs a problem tree sent by an organiser, or reports what the sync would change. */
import { sql, type Transaction } from "kysely";
import {
  KernelBotError,
  oldMeanings,
  sortedTargets,
  type ProblemVisibility,
  type SyncedCompetition,
  type SyncedProblem,
  type SyncReport,
  type SyncRequest,
} from "@kernelbot/core";
import { reachable } from "../auth/visibility.ts";
import { requireFreeOrOwn } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { planOf, syncCompetition, type CompetitionPlan } from "./competition.ts";
import { catchRefusal } from "./savepoint.ts";
import { storeProblem, type Origin, type StoreOptions } from "./store.ts";
import { ensureVisibility } from "./visibility.ts";
import { readTree, type FoundProblem } from "./tree.ts";

/** Thrown to roll back a dry run, which executes the same work so that its report is exact. */
class DryRun extends Error {}

/** What happens to a problem whose name a problem of the server's own folder has. */
type OnCollision = "reject_request" | "refuse_problem" | "replace";

interface TreeSyncOptions {
  onCollision: OnCollision;
  /** Keeps problems whose new version would start a new revision of a board that has entries. */
  keepRanked?: boolean;
  /** Opens retired boards even if their problem is unchanged. */
  reopen?: boolean;
}

/** Number of colliding names in an error. */
const NAMED_COLLISIONS = 20;

/**
 * Syncs a tree as an organiser requests: see `syncTree`.
 * @throws KernelBotError `conflict` if problems of the server's own folder have the same names, unless `replace`.
 */
export function syncRequested(database: Database, identity: Identity, request: SyncRequest): Promise<SyncReport> {
  return syncTree(database, identity, request, { onCollision: request.replace ? "replace" : "reject_request" });
}

/**
 * Syncs the problems and competitions of a tree. Each problem is stored completely or not at all, and an invalid
 * problem does not stop the others. A new problem whose competition is refused is refused too, because it would
 * otherwise be public.
 * @throws KernelBotError `forbidden` if the caller is not an organiser; `unprocessable` if the tree has no problem.
 */
export async function syncTree(
  database: Database,
  identity: Identity,
  { source, revision, set, visibility, prefix, dryRun, files }: Omit<SyncRequest, "replace">,
  options: TreeSyncOptions,
): Promise<SyncReport> {
  requireRole(identity, "organiser");
  const tree = await readTree(files, set, prefix ?? "");
  if (tree.problems.length + tree.competitions.length === 0) {
    const where = set === null ? "no directory with a task.yml" : `no problem of the set ${set}`;
    throw new KernelBotError("unprocessable", `${where} in the uploaded files`);
  }
  const plans = await Promise.all(
    tree.competitions.map((one) => planOf(database, identity, one, { now: new Date(), visibility })),
  );
  const origin: Origin = { source, revision, accountId: identity.account.id };
  let report: SyncReport = { source, revision, set, dryRun, problems: [], competitions: [] };
  try {
    await runTransaction(idempotent(database.db), async (transaction) => {
      const sync = new Sync(transaction, identity, { ...options, origin, visibility });
      await sync.take(tree.problems, plans);
      if (options.onCollision === "reject_request" && sync.collisions.size > 0)
        throw collisionError([...sync.collisions]);
      const problems = [
        ...sync.problems,
        ...(await findMissingProblems(transaction, identity, tree.problems, { source, set })),
      ];
      problems.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      report = { ...report, problems, competitions: sync.competitions };
      if (dryRun) throw new DryRun();
      await audit(transaction, identity, "sync", "problems", { source, revision, set, ...namesOf(problems) });
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  return report;
}

function collisionError(names: readonly string[]): KernelBotError {
  const shown = names.slice(0, NAMED_COLLISIONS).join(", ");
  const more = names.length > NAMED_COLLISIONS ? ` and ${names.length - NAMED_COLLISIONS} more` : "";
  return new KernelBotError(
    "conflict",
    `the server's own folder has problems of the same names: ${shown}${more}; nothing was changed. Use a prefix for the ` +
      "names of this source (--prefix TEXT), or replace those problems (--replace)",
  );
}

/** The work of one transaction: each competition with its problems, then problems in no competition. */
class Sync {
  readonly problems: SyncedProblem[] = [];
  readonly competitions: SyncedCompetition[] = [];
  /** Names of problems of the server's own folder, which were not replaced. */
  readonly collisions = new Set<string>();
  readonly #transaction: Transaction<Tables>;
  readonly #identity: Identity;
  readonly #storing: StoreOptions;
  readonly #visibility: ProblemVisibility | null;

  constructor(
    transaction: Transaction<Tables>,
    identity: Identity,
    { onCollision, visibility, ...storing }: TreeSyncOptions & { origin: Origin; visibility: ProblemVisibility | null },
  ) {
    this.#transaction = transaction;
    this.#identity = identity;
    this.#storing = { ...storing, keepForeign: onCollision !== "replace" };
    this.#visibility = visibility;
  }

  async take(found: readonly FoundProblem[], plans: readonly CompetitionPlan[]): Promise<void> {
    const left = new Set(found);
    for (const plan of plans) {
      const own = [...left].filter((problem) => plan.has(problem));
      for (const problem of own) left.delete(problem);
      await this.#takeCompetition(plan, own);
    }
    const unread = plans.find(({ error }) => error !== null);
    // Any new problem could belong to the competition whose file is invalid.
    const why =
      unread === undefined ? null : `it is new and might belong to the competition in ${unread.file}, which is invalid`;
    for (const problem of left) {
      this.problems.push(await this.#takeProblem(problem, { refuseNew: why, visibility: this.#visibility }));
    }
  }

  async #takeCompetition(plan: CompetitionPlan, own: readonly FoundProblem[]): Promise<void> {
    await sql`savepoint competition`.execute(this.#transaction);
    let problems = await this.#takeAll(own, null);
    const competition = await syncCompetition(this.#transaction, this.#identity, plan, {
      problems,
      visibility: this.#visibility,
    });
    if (competition.outcome === "refused" && problems.some(({ outcome }) => outcome === "new")) {
      await sql`rollback to savepoint competition`.execute(this.#transaction);
      problems = await this.#takeAll(own, `it is new and its competition ${competition.name} was rejected`);
    }
    await sql`release savepoint competition`.execute(this.#transaction);
    this.problems.push(...problems);
    this.competitions.push(competition);
  }

  /** Syncs the problems of a competition. Their visibility is that of the competition. */
  async #takeAll(found: readonly FoundProblem[], refuseNew: string | null): Promise<SyncedProblem[]> {
    const problems: SyncedProblem[] = [];
    for (const problem of found) {
      problems.push(await this.#takeProblem(problem, { refuseNew, visibility: null }));
    }
    return problems;
  }

  /**
   * Syncs one problem.
   * @param refuseNew Reason to refuse the problem if it is new; null to accept it.
   * @param visibility Visibility required by `ensureVisibility`; null for none.
   */
  async #takeProblem(
    { name, set, path, read }: FoundProblem,
    { refuseNew, visibility }: { refuseNew: string | null; visibility: ProblemVisibility | null },
  ): Promise<SyncedProblem> {
    const unstored = (outcome: "refused" | "kept", why: string): SyncedProblem => ({
      ...{ name, path, why, outcome, version: null, changes: [], targets: [], boardRevisions: [], yamlMeanings: [] },
    });
    const refused = (why: string) => unstored("refused", why);
    if ("error" in read) return refused(read.error);
    const result = await catchRefusal(this.#transaction, async () => {
      await requireFreeOrOwn(this.#transaction, this.#identity, name);
      const stored = await storeProblem(this.#transaction, { set, suite: null, ...read }, this.#storing);
      if (!("kept" in stored) && stored.created && refuseNew !== null) {
        throw new KernelBotError("conflict", refuseNew);
      }
      if (visibility !== null) {
        const isNew = !("kept" in stored) && stored.created;
        await ensureVisibility(this.#transaction, this.#identity, visibility, { name, isNew });
      }
      return stored;
    });
    if ("why" in result) return refused(result.why);
    if ("kept" in result) {
      if (result.because === "entries") return unstored("kept", result.kept);
      this.collisions.add(name);
      return refused(`the name is that of another problem: ${result.kept}; use a prefix, or force its replacement`);
    }
    const { created, changed, changes, boardRevisions } = result;
    const outcome = created ? "new" : changed ? "changed" : "unchanged";
    const targets = sortedTargets(read.problem.spec);
    const yamlMeanings = oldMeanings(read.problem.files["task.yml"] ?? "");
    return { name, path, outcome, why: null, version: read.version, changes, targets, boardRevisions, yamlMeanings };
  }
}

/** Returns the problems that were synced from this source before and are missing from the tree. */
async function findMissingProblems(
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
      ...{ name, path: null, outcome: "gone", why: null, version, changes: [], boardRevisions: [], yamlMeanings: [] },
      targets: sortedTargets(spec),
    }));
}

/** Returns the names of created, changed and refused problems. */
function namesOf(problems: readonly SyncedProblem[]): Record<string, string[]> {
  const named = (outcome: SyncedProblem["outcome"]) =>
    problems.filter((one) => one.outcome === outcome).map(({ name }) => name);
  return { created: named("new"), changed: named("changed"), refused: named("refused") };
}
