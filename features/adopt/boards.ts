/**
 * Leaderboards of the source: a problem, and a competition of the same name with the leaderboard's deadline and
 * visibility.
 */
import { sql, type Transaction } from "kysely";
import { CompetitionSpec, KernelBotError, problemVersion, ProblemName, quote, TargetName } from "@kernelbot/core";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { createIn } from "@kernelbot/server/src/competitions/change.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { storeProblem } from "@kernelbot/server/src/problems/store.ts";
import type { Destination } from "./destination.ts";
import type { Report } from "./report.ts";
import type { SourceLeaderboard } from "./source-rows.ts";
import { problemOf } from "./task.ts";

/** Problem set of the problems. */
const SET = "adopted";

/** Leaderboard as it exists here. */
interface AdoptedBoard {
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

interface BoardAdoption {
  destination: Destination;
  identity: Identity;
  source: string;
  report: Report;
}

/** Earliest and latest end of an adopted competition, which begins up to a minute before. */
const EARLIEST_END = Date.UTC(1971);
const LATEST_END = Date.UTC(9999);

/** Numbers that stay free after those of the source, for the leaderboards that it still gets. */
const RESERVED = 1000;

/** Creates the boards that do not exist, and applies changed deadlines and visibilities to the others. */
export async function adoptLeaderboards(
  adoption: BoardAdoption,
  leaderboards: readonly SourceLeaderboard[],
): Promise<{ boards: Boards; made: number }> {
  const boards: Boards = new Map();
  let made = 0;
  await reserveNumbers(adoption.destination, Math.max(0, ...leaderboards.map(({ id }) => id)));
  for (const leaderboard of leaderboards) {
    try {
      const { board, isNew } = await adoption.destination.step((transaction) =>
        adoptLeaderboard(transaction, adoption, leaderboard),
      );
      boards.set(leaderboard.id, board);
      if (isNew) made += 1;
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
      adoption.report.skip("leaderboard", leaderboard.id, "name", error.message);
    }
  }
  return { boards, made };
}

/** Lets the numbers of new problems here begin after those of the source's leaderboards. */
async function reserveNumbers({ db }: Destination, last: number): Promise<void> {
  const from = Math.ceil((last + RESERVED) / RESERVED) * RESERVED;
  await sql`select setval(pg_get_serial_sequence('problem', 'number'), ${from}::bigint)
    where coalesce((select last_value from pg_sequences where schemaname = 'public' and sequencename = 'problem_number_seq'), 0)
      < ${last}::bigint`.execute(db);
}

async function adoptLeaderboard(
  transaction: Transaction<Tables>,
  adoption: BoardAdoption,
  given: SourceLeaderboard,
): Promise<{ board: AdoptedBoard; isNew: boolean }> {
  const { source, report } = adoption;
  const leaderboard = { ...given, deadline: deadlineOf(given, report) };
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
  await refuseOtherSource(transaction, name);
  const origin = { source: `adopt:${source}`, revision: null, accountId: identity.account.id };
  const stored = await storeProblem(
    transaction,
    { set: SET, suite: null, problem, version },
    { origin, keepForeign: true, keepRanked: true, number: await freeNumber(transaction, leaderboard, report) },
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

/** @throws KernelBotError `conflict` if another source has adopted a leaderboard of this name. */
async function refuseOtherSource(transaction: Transaction<Tables>, name: string): Promise<void> {
  const other = await transaction
    .selectFrom("adopted_leaderboard")
    .select("source")
    .where("problem", "=", name)
    .executeTakeFirst();
  if (other === undefined) return;
  throw new KernelBotError(
    "conflict",
    `the leaderboard ${name} was adopted from ${quote(other.source)}; rename one of the two`,
  );
}

/** Returns the deadline within the times that a competition can end at. */
function deadlineOf({ id, deadline }: SourceLeaderboard, report: Report): Date {
  const allowed = new Date(Math.min(Math.max(deadline.getTime(), EARLIEST_END), LATEST_END));
  if (allowed.getTime() !== deadline.getTime())
    report.change("leaderboard", id, "deadline", `${deadline.toISOString()} is ${allowed.toISOString()} here`);
  return allowed;
}

/** Returns the number of a leaderboard, which links contain; undefined if a problem of this server has it. */
async function freeNumber(
  transaction: Transaction<Tables>,
  { id }: SourceLeaderboard,
  report: Report,
): Promise<number | undefined> {
  const owner = await transaction.selectFrom("problem").select("name").where("number", "=", id).executeTakeFirst();
  if (owner === undefined) return id;
  report.change("leaderboard", id, "id", `the problem ${owner.name} of this server has the number; it gets a new one`);
  return undefined;
}

/** Returns a leaderboard's name in the characters of problem names: the client writes it in lower case. */
export function nameHere(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "-");
}

function nameOf({ id, name }: SourceLeaderboard, report: Report): string {
  const valid = nameHere(name);
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
