/**
 * What others may know of a person.
 *
 * All of it is of problems that stand in the viewer's lists: what closed competitions hold is not there, nor what an
 * unlisted one holds, whose address this page would tell. Of one's own, all that one may reach is there. Submissions are
 * counted in all modes, since each that is counted has a page that this viewer may open; of those that did not pass
 * nothing more is told. Whoever has left no trace in the viewer's lists is not found: an id tells no name. Of a banned
 * account others are told that it is, and nothing else.
 */
import { sql, type RawBuilder } from "kysely";
import { KernelBotError, quote, type Person, type PersonEntry } from "@kernelbot/core";
import { listed, reachable, standingOf, unhidden, type Viewer } from "../competitions/access.ts";
import { TEAM_MEMBERS } from "../competitions/teams.ts";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import { findBoard } from "./boards.ts";
import { readHistory } from "./history.ts";

/** Weeks of activity, this one included: a year and the days that it is longer than 52 weeks. */
const WEEKS = 53;
const WEEK_MS = 7 * 86_400_000;
/** Ranked submissions that are shown, and records. */
const RECENT = 20;

/** @throws KernelBotError `not_found` where there is no account that this viewer may know of. */
export async function readPerson(database: Database, viewer: Viewer, id: string): Promise<Person> {
  const accountId = storableText(id);
  const isSelf = viewer?.account.id === accountId;
  const [, seesAll] = standingOf(viewer);
  const see: See = (column) => (isSelf ? reachable(viewer, column) : listed(viewer, column));
  const head = await readHead(database, viewer, accountId, see, isSelf || seesAll);
  if (head === null) throw new KernelBotError("not_found", `there is no account ${quote(id)}`);
  const nothing = { authors: [], teams: [], entries: [], records: [], weeks: weeksUntil(new Date(), []), recent: [] };
  if (head.bannedAt !== null && !isSelf && !seesAll) return { ...head, ...nothing };
  const [authors, teams, entries, weeks, recent] = await retrying(() =>
    Promise.all([
      readAuthors(database, viewer, accountId, see),
      readTeams(database, accountId, see),
      readEntries(database, viewer, accountId, see),
      readWeeks(database, viewer, accountId, see),
      readRecent(database, viewer, accountId, see),
    ]),
  );
  const records = await readRecords(database, viewer, accountId, entries);
  return { ...head, authors, teams, entries, records, weeks: weeksUntil(new Date(), weeks), recent };
}

/** SQL: whether this viewer may know what belongs to the competition of the column. */
type See = (column: "problem.competition" | "competition.name") => RawBuilder<boolean>;

type Head = Pick<Person, "account" | "createdAt" | "bannedAt">;

async function readHead({ db }: Database, viewer: Viewer, id: string, see: See, always: boolean): Promise<Head | null> {
  const row = await retrying(() =>
    db
      .selectFrom("account")
      .select(["id", "name", "created_at", "banned_at"])
      .where("id", "=", id)
      .where(
        sql<boolean>`(${always}::boolean
          or exists (select from submission s join problem on problem.name = s.problem
            where s.account_id = account.id and s.removed_at is null and ${see("problem.competition")}
              and ${unhidden(viewer, "s")})
          or exists (select from competition join team_member m on m.competition = competition.name
            where m.account_id = account.id and ${see("competition.name")})
          or exists (select from competition join competition_organiser o on o.competition = competition.name
            where o.account_id = account.id and ${see("competition.name")})
          or exists (select from kernelbench_entry e where e.account_id = account.id and e.published_at is not null))`,
      )
      .executeTakeFirst(),
  );
  if (row === undefined) return null;
  return {
    account: { id: row.id, name: row.name },
    createdAt: row.created_at.toISOString(),
    bannedAt: row.banned_at?.toISOString() ?? null,
  };
}

function submissionsOf({ db }: Database, viewer: Viewer, id: string, see: See) {
  return db
    .selectFrom("submission as s")
    .innerJoin("problem", "problem.name", "s.problem")
    .where("s.account_id", "=", id)
    .where("s.removed_at", "is", null)
    .where(see("problem.competition"))
    .where(unhidden(viewer, "s"));
}

async function readAuthors(database: Database, viewer: Viewer, id: string, see: See): Promise<Person["authors"]> {
  return submissionsOf(database, viewer, id, see)
    .select(["s.author_kind as kind", sql<number>`count(*)::integer`.as("submissions")])
    .where("s.mode", "=", "ranked")
    .groupBy("s.author_kind")
    .orderBy("submissions", "desc")
    .orderBy("kind")
    .execute();
}

async function readTeams({ db }: Database, id: string, see: See): Promise<Person["teams"]> {
  const rows = await db
    .selectFrom("team_member as mine")
    .innerJoin("team", "team.id", "mine.team_id")
    .innerJoin("competition", "competition.name", "mine.competition")
    .select(["competition.name as competition", "competition.title", "team.id", "team.name"])
    .select(["mine.joined_at", "mine.left_at", TEAM_MEMBERS.as("members")])
    .where("mine.account_id", "=", id)
    .where(see("competition.name"))
    .orderBy("mine.joined_at")
    .execute();
  return rows.map((row) => ({
    competition: row.competition,
    title: row.title,
    team: { id: row.id, name: row.name },
    members: row.members,
    joinedAt: row.joined_at.toISOString(),
    leftAt: row.left_at?.toISOString() ?? null,
  }));
}

/** His entries, or those of a team that he is in, on the boards on which he or one of the team was ever ranked. */
async function readEntries(database: Database, viewer: Viewer, id: string, see: See): Promise<PersonEntry[]> {
  const { rows: tried } = await sql<{ problem: string; target: string }>`
    select distinct s.problem, run.target
    from submission s
    join run on run.submission_id = s.id and run.mode = 'ranked' and run.verdict = 'passed'
    join problem on problem.name = s.problem
    where ${see("problem.competition")} and (s.account_id = ${id} or s.account_id in (
      select fellow.account_id from team_member fellow join team_member mine on mine.team_id = fellow.team_id
      where mine.account_id = ${id} and mine.left_at is null))
    order by s.problem, run.target`.execute(database.db);
  const boards = await Promise.all(tried.map(({ problem, target }) => findBoard(database, viewer, problem, target)));
  return boards.flatMap((found) => {
    const row = found?.rows.find(({ account, team }) =>
      team === null ? account.id === id : team.members.some((member) => member.id === id),
    );
    if (found === null || row === undefined) return [];
    const { freeze } = found;
    const {
      rank,
      team,
      submissionId,
      runId,
      standing,
      timeNs,
      speedup,
      submittedAt,
      unsandboxed,
      legacyHarness,
      imported,
    } = row;
    return {
      board: found.board,
      target: found.target,
      rank,
      of: found.rows.length,
      team: team === null ? null : { id: team.id, name: team.name },
      own: row.account.id === id,
      ...{ submissionId, runId, standing, timeNs, speedup, submittedAt, unsandboxed, legacyHarness, imported, freeze },
    };
  });
}

/** What of his was the fastest of its board when it came, on the boards that he stands on. */
async function readRecords(
  database: Database,
  viewer: Viewer,
  id: string,
  entries: readonly PersonEntry[],
): Promise<Person["records"]> {
  const boards = new Map(entries.map((entry) => [`${entry.board}/${entry.target}`, entry]));
  const histories = await Promise.all(
    Array.from(boards.values(), ({ board, target }) => readHistory(database, viewer, board, target, [])),
  );
  return histories
    .flatMap(({ board, target, records }) =>
      records.map((record, at) => ({
        account: record.account,
        shown: {
          board,
          target,
          submissionId: record.submissionId,
          timeNs: record.timeNs.value,
          since: record.submittedAt,
          until: records[at + 1]?.submittedAt ?? null,
        },
      })),
    )
    .flatMap(({ account, shown }) => (account.id === id ? [shown] : []))
    .toSorted((a, b) => b.since.localeCompare(a.since))
    .slice(0, RECENT);
}

interface WeekRow {
  monday: string;
  submissions: number;
}

async function readWeeks(database: Database, viewer: Viewer, id: string, see: See): Promise<WeekRow[]> {
  return submissionsOf(database, viewer, id, see)
    .select(sql<string>`to_char(date_trunc('week', s.created_at at time zone 'UTC'), 'YYYY-MM-DD')`.as("monday"))
    .select(sql<number>`count(*)::integer`.as("submissions"))
    .where("s.created_at", ">=", new Date(Date.now() - WEEKS * WEEK_MS))
    .groupBy("monday")
    .execute();
}

/** Every week of the last year, those too in which nothing was submitted. */
function weeksUntil(now: Date, rows: readonly WeekRow[]): Person["weeks"] {
  const day = Math.floor(now.getTime() / 86_400_000);
  // The first day of 1970 was a Thursday.
  const monday = (day - ((day + 3) % 7)) * 86_400_000;
  return Array.from({ length: WEEKS }, (_, index) => {
    const week = new Date(monday - (WEEKS - 1 - index) * WEEK_MS).toISOString().slice(0, 10);
    return { monday: week, submissions: rows.find((row) => row.monday === week)?.submissions ?? 0 };
  });
}

async function readRecent(database: Database, viewer: Viewer, id: string, see: See): Promise<Person["recent"]> {
  const rows = await submissionsOf(database, viewer, id, see)
    .innerJoin("run", "run.submission_id", "s.id")
    .select(["s.id", "s.problem", "run.target", "s.file_name", "s.created_at"])
    .select(["run.time_ns", "run.time_low_ns", "run.time_high_ns"])
    .where("s.mode", "=", "ranked")
    .where("run.verdict", "=", "passed")
    .where("run.rerun", "=", 0)
    // What was imported has younger numbers than it is old.
    .orderBy("s.created_at", "desc")
    .orderBy("s.id", "desc")
    .orderBy("run.target")
    .limit(RECENT)
    .execute();
  return rows.flatMap((row) => {
    const timeNs = intervalOf(row.time_ns, row.time_low_ns, row.time_high_ns);
    if (timeNs === null) return [];
    return [
      {
        submissionId: row.id,
        board: row.problem,
        target: row.target,
        fileName: row.file_name,
        submittedAt: row.created_at.toISOString(),
        timeNs,
      },
    ];
  });
}

function intervalOf(value: number | null, low: number | null, high: number | null) {
  return value === null || low === null || high === null ? null : { value, low, high };
}
