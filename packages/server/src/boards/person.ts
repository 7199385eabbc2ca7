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
import { KernelBotError, quote, rank, type Person, type PersonEntry } from "@kernelbot/core";
import { listed, reachable, standingOf, type Viewer } from "../competitions/access.ts";
import { TEAM_MEMBERS } from "../competitions/teams.ts";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
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
  const head = await readHead(database, accountId, see, isSelf || seesAll);
  if (head === null) throw new KernelBotError("not_found", `there is no account ${quote(id)}`);
  const nothing = { authors: [], teams: [], entries: [], records: [], weeks: weeksUntil(new Date(), []), recent: [] };
  if (head.bannedAt !== null && !isSelf && !seesAll) return { ...head, ...nothing };
  const [authors, teams, entries, weeks, recent] = await retrying(() =>
    Promise.all([
      readAuthors(database, accountId, see),
      readTeams(database, accountId, see),
      readEntries(database, accountId, see),
      readWeeks(database, accountId, see),
      readRecent(database, accountId, see),
    ]),
  );
  const records = await readRecords(database, viewer, accountId, entries);
  return { ...head, authors, teams, entries, records, weeks: weeksUntil(new Date(), weeks), recent };
}

/** SQL: whether this viewer may know what belongs to the competition of the column. */
type See = (column: "problem.competition" | "competition.name") => RawBuilder<boolean>;

type Head = Pick<Person, "account" | "createdAt" | "bannedAt">;

async function readHead({ db }: Database, id: string, see: See, always: boolean): Promise<Head | null> {
  const row = await retrying(() =>
    db
      .selectFrom("account")
      .select(["id", "name", "created_at", "banned_at"])
      .where("id", "=", id)
      .where(
        sql<boolean>`(${always}::boolean
          or exists (select from submission s join problem on problem.name = s.problem
            where s.account_id = account.id and s.removed_at is null and ${see("problem.competition")})
          or exists (select from competition join team_member m on m.competition = competition.name
            where m.account_id = account.id and ${see("competition.name")})
          or exists (select from competition join competition_organiser o on o.competition = competition.name
            where o.account_id = account.id and ${see("competition.name")}))`,
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

function submissionsOf({ db }: Database, id: string, see: See) {
  return db
    .selectFrom("submission as s")
    .innerJoin("problem", "problem.name", "s.problem")
    .where("s.account_id", "=", id)
    .where("s.removed_at", "is", null)
    .where(see("problem.competition"));
}

async function readAuthors(database: Database, id: string, see: See): Promise<Person["authors"]> {
  return submissionsOf(database, id, see)
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

interface EntryRow {
  problem: string;
  target: string;
  time_ns: number;
  time_low_ns: number;
  time_high_ns: number;
  /** Null for the entries of others, of which a rank needs the times alone. */
  entry: Omit<PersonEntry, "board" | "target" | "rank" | "timeNs"> | null;
}

/** The boards on which he, or a team that he is in, was ever ranked; of each the rows down to his, which decide the rank. */
async function readEntries({ db }: Database, id: string, see: See): Promise<PersonEntry[]> {
  const { rows } = await sql<EntryRow>`
    with own_team as (
      select team_id from team_member where account_id = ${id} and left_at is null
    ), tried as (
      select distinct s.problem, run.target
      from submission s join run on run.submission_id = s.id and run.mode = 'ranked' and run.verdict = 'passed'
      where s.account_id = ${id}
        or s.account_id in (select m.account_id from team_member m join own_team using (team_id))
    ), shown as (
      select e.*, coalesce(e.team_id in (select team_id from own_team), false) or e.account_id = ${id} as is_mine,
        count(*) over (partition by e.problem, e.target) as of
      from tried join problem on problem.name = tried.problem
      cross join lateral (
        select * from board_entry b where b.problem = tried.problem and b.target = tried.target) e
      where ${see("problem.competition")}
    ), ahead as (
      select *, max(time_ns) filter (where is_mine) over (partition by problem, target) as last_ns from shown
    )
    select problem, target, time_ns, time_low_ns, time_high_ns, case when is_mine then (
      select json_build_object('of', ahead.of, 'own', ahead.account_id = ${id},
        'team', (select json_build_object('id', team.id, 'name', team.name) from team where team.id = ahead.team_id),
        'submissionId', s.id, 'runId', ahead.run_id,
        'standing', case when ahead.confirmed then 'confirmed' else 'provisional' end,
        'speedup', case when ahead.speedup is not null then
          json_build_object('value', ahead.speedup, 'low', ahead.speedup_low, 'high', ahead.speedup_high) end,
        'submittedAt', to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'unsandboxed', ahead.unsandboxed, 'legacyHarness', coalesce(v.spec ->> 'harness' = 'legacy', false))
      from submission s join problem_version v on v.hash = ahead.problem_version where s.id = ahead.submission_id
    ) end as entry
    from ahead where time_ns <= last_ns order by problem, target, time_ns, entry_run_id`.execute(db);
  const boards = Map.groupBy(rows, ({ problem, target }) => `${problem}/${target}`);
  return [...boards.values()].flatMap((board) =>
    rank(
      board.map(({ time_ns: value, time_low_ns: low, time_high_ns: high, ...row }) => ({
        ...row,
        timeNs: { value, low, high },
      })),
    ).flatMap(({ problem, target, entry, timeNs, rank }) =>
      entry === null ? [] : [{ board: problem, target, rank, timeNs, ...entry }],
    ),
  );
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

async function readWeeks(database: Database, id: string, see: See): Promise<WeekRow[]> {
  return submissionsOf(database, id, see)
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

async function readRecent(database: Database, id: string, see: See): Promise<Person["recent"]> {
  const rows = await submissionsOf(database, id, see)
    .innerJoin("run", "run.submission_id", "s.id")
    .select(["s.id", "s.problem", "run.target", "s.file_name", "s.created_at"])
    .select(["run.time_ns", "run.time_low_ns", "run.time_high_ns"])
    .where("s.mode", "=", "ranked")
    .where("run.verdict", "=", "passed")
    .where("run.rerun", "=", 0)
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
