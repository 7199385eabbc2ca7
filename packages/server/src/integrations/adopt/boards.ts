/**
 * Leaderboards of the source: a problem, and a competition of the same name with the leaderboard's deadline and
 * visibility.
 */
import type { Transaction } from "kysely";
import { CompetitionSpec, KernelBotError, problemVersion, ProblemName, TargetName } from "@kernelbot/core";
import { audit } from "../../auth/audit.ts";
import type { Identity } from "../../auth/identity.ts";
import { ensureOperator } from "../../auth/operator.ts";
import { createIn } from "../../competitions/change.ts";
import type { Database } from "../../db/database.ts";
import type { Tables } from "../../db/tables.ts";
import { runTransaction } from "../../db/transaction.ts";
import { storeProblem } from "../../problems/store.ts";
import type { Report } from "./report.ts";
import type { SourceLeaderboard } from "./source-rows.ts";
import { problemOf } from "./task.ts";

/** Problem set of the problems. */
const SET = "adopted";

/** Leaderboard as it exists here. */
export interface AdoptedBoard {
  problem: string;
  version: string;
  competition: string | null;
  /** Names of its GPUs. */
  targets: string[];
  /** Number of timed cases. */
  benchmarks: number;
  /** Deadline: submissions from then on are not accepted. */
  endsAt: Date;
}

/** Boards by the ids of the source's leaderboards. */
export type Boards = Map<number, AdoptedBoard>;

export interface BoardAdoption {
  database: Database;
  identity: Identity;
  source: string;
  report: Report;
}

class DryRun extends Error {
  readonly board: AdoptedBoard;
  readonly isNew: boolean;
  constructor(board: AdoptedBoard, isNew: boolean) {
    super();
    this.board = board;
    this.isNew = isNew;
  }
}

/** Creates the boards that do not exist, and applies changed deadlines and visibilities to the others. */
export async function adoptLeaderboards(
  adoption: BoardAdoption,
  leaderboards: readonly SourceLeaderboard[],
  isDryRun: boolean,
): Promise<{ boards: Boards; made: number }> {
  const boards: Boards = new Map();
  let made = 0;
  for (const leaderboard of leaderboards) {
    try {
      const { board, isNew } = await runTransaction(adoption.database.db, async (transaction) => {
        if (isDryRun) await ensureOperator({ db: transaction });
        const adopted = await adoptLeaderboard(transaction, adoption, leaderboard);
        if (isDryRun) throw new DryRun(adopted.board, adopted.isNew);
        return adopted;
      }).catch((error: unknown) => {
        if (error instanceof DryRun) return error;
        throw error;
      });
      boards.set(leaderboard.id, board);
      if (isNew) made += 1;
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
      adoption.report.skip("leaderboard", leaderboard.id, "name", error.message);
    }
  }
  return { boards, made };
}

async function adoptLeaderboard(
  transaction: Transaction<Tables>,
  adoption: BoardAdoption,
  leaderboard: SourceLeaderboard,
): Promise<{ board: AdoptedBoard; isNew: boolean }> {
  const { source, report } = adoption;
  const targets = leaderboard.gpus.filter((gpu) => {
    const isValid = TargetName.safeParse(gpu).success;
    if (!isValid) report.skip("gpu_type", leaderboard.id, "gpu_type", `${JSON.stringify(gpu)} is not a valid target`);
    return isValid;
  });
  const known = await transaction
    .selectFrom("adopted_leaderboard as a")
    .innerJoin("problem", "problem.name", "a.problem")
    .innerJoin("problem_version as v", "v.hash", "a.version")
    .select(["a.problem", "a.version", "problem.competition", "v.spec"])
    .where("a.source", "=", source)
    .where("a.number", "=", leaderboard.id)
    .executeTakeFirst();
  const endsAt = leaderboard.deadline;
  if (known !== undefined) {
    const { problem, version, competition, spec } = known;
    // An organiser may have moved the problem to a competition of other dates and members.
    if (competition === problem) await applyChanges(transaction, adoption, competition, leaderboard);
    const board = { problem, version, competition, targets, benchmarks: spec.benchmarks.length, endsAt };
    return { board, isNew: false };
  }
  return { board: await createBoard(transaction, adoption, leaderboard, targets), isNew: true };
}

async function createBoard(
  transaction: Transaction<Tables>,
  { identity, source, report }: BoardAdoption,
  leaderboard: SourceLeaderboard,
  targets: string[],
): Promise<AdoptedBoard> {
  const name = nameOf(leaderboard, report);
  const { problem, fault } = await problemOf(name, leaderboard, targets);
  const version = await problemVersion(problem);
  if (fault !== null) {
    report.change(
      "leaderboard",
      leaderboard.id,
      "task",
      `${fault}; its results are imported, but it accepts no submissions`,
    );
  }
  const origin = { source: `adopt:${source}`, revision: null, accountId: identity.account.id };
  const stored = await storeProblem(
    transaction,
    { set: SET, suite: null, problem, version },
    { origin, keepForeign: true },
  );
  if ("kept" in stored) {
    throw new KernelBotError(
      "conflict",
      `a problem named ${name} exists: ${stored.kept}; adopt into an empty database before the server's first start`,
    );
  }
  await transaction
    .insertInto("adopted_leaderboard")
    .values({ source, number: leaderboard.id, problem: name, version })
    .execute();
  if (fault !== null)
    await transaction.updateTable("board").set({ accepts: false }).where("problem", "=", name).execute();
  const { competition } = await transaction
    .selectFrom("problem")
    .select("competition")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  if (competition === null) await createIn(transaction, identity, competitionOf(name, leaderboard, source));
  const board = { problem: name, version, targets, benchmarks: problem.spec.benchmarks.length };
  return { ...board, competition: competition ?? name, endsAt: leaderboard.deadline };
}

/** Returns the name of the problem: the client writes the name of a leaderboard in lower case. */
function nameOf({ id, name }: SourceLeaderboard, report: Report): string {
  const valid = name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "-");
  if (valid !== name) report.change("leaderboard", id, "name", `${JSON.stringify(name)} is ${valid} here`);
  const parsed = ProblemName.safeParse(valid);
  if (parsed.success) return parsed.data;
  throw new KernelBotError("unprocessable", `${JSON.stringify(name)}: ${parsed.error.issues[0]?.message}`);
}

function competitionOf(name: string, leaderboard: SourceLeaderboard, source: string): CompetitionSpec {
  const ends = leaderboard.deadline.getTime();
  const starts = Math.min(leaderboard.first_submission?.getTime() ?? Date.now(), Date.now(), ends - 60_000);
  return CompetitionSpec.parse({
    name,
    title: name,
    description: `Moved here from ${source}.`,
    visibility: leaderboard.visibility,
    startsAt: new Date(starts).toISOString(),
    endsAt: leaderboard.deadline.toISOString(),
    // Its authors have not agreed to a publication of their sources.
    codeVisibility: "never",
    problems: [name],
  });
}

/** Applies the leaderboard's present deadline and visibility to the competition that was created for it. */
async function applyChanges(
  transaction: Transaction<Tables>,
  { identity }: BoardAdoption,
  competition: string,
  { deadline, visibility }: SourceLeaderboard,
): Promise<void> {
  const changed = await transaction
    .updateTable("competition")
    .set({ ends_at: deadline, visibility })
    .where("name", "=", competition)
    .where("starts_at", "<", deadline)
    .where((row) => row.or([row("ends_at", "!=", deadline), row("visibility", "!=", visibility)]))
    .returning("name")
    .executeTakeFirst();
  if (changed === undefined) return;
  const detail = { endsAt: deadline.toISOString(), visibility };
  await audit(transaction, identity, "change", `competition ${competition}`, detail);
}
