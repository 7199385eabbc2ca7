/**
 * Public profile of an account.
 *
 * Shows only data of problems that are listed for the viewer: nothing of closed competitions, and nothing of unlisted
 * ones, whose address the profile would reveal, nor of competitions with pseudonyms. On their own profile, viewers see everything that they can reach.
 * Submissions are counted in all modes because the viewer can open the page of each counted submission; nothing else is
 * shown of those that did not pass. An account without any data in the viewer's lists is not found, so that ids do not
 * reveal names. Of a banned account, viewers other than its owner and moderators see only the ban.
 */
import { sql, type RawBuilder, type Selectable } from "kysely";
import {
  KernelBotError,
  quote,
  rankEntries,
  compareBoards,
  type Person,
  type PersonEntry,
  type RankedBy,
} from "@kernelbot/core";
import { listed, reachable, visibilityKeyOf, unhidden, type Viewer } from "../auth/visibility.ts";
import { showsAccounts } from "../competitions/pseudonyms.ts";
import { TEAM_MEMBERS } from "../competitions/teams.ts";
import type { Database } from "../db/database.ts";
import { rankedByOfRow, withBest } from "../db/ranked-columns.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { freezeOf } from "../boards/board-version.ts";

/** Number of weeks in the activity chart, including the current one: a year is longer than 52 weeks. */
const WEEKS = 53;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** Maximum numbers of recent ranked submissions, of records and of competitions. */
const RECENT = 20;

/**
 * Returns the profile of an account.
 * @throws KernelBotError `not_found` if there is no such account that the viewer may see.
 */
export async function readPerson(database: Database, viewer: Viewer, id: string): Promise<Person> {
  const accountId = storableText(id);
  const isSelf = viewer?.account.id === accountId;
  const [, seesAll] = visibilityKeyOf(viewer);
  const see: See = (column) => {
    if (isSelf) return reachable(viewer, column);
    if (seesAll || column === "competition.name") return listed(viewer, column);
    return sql`(${listed(viewer, column)} and ${showsAccounts(sql.ref(column))})`;
  };
  const head = await readHead(database, viewer, accountId, see, isSelf || seesAll);
  if (head === null) throw new KernelBotError("not_found", `account ${quote(id)} not found`);
  const nothing = {
    authors: [],
    teams: [],
    entries: [],
    records: [],
    competitions: [],
    weeks: weeksUntil(new Date(), []),
    recent: [],
  };
  if (head.bannedAt !== null && !isSelf && !seesAll) return { ...head, ...nothing };
  const [authors, teams, entries, days, competitions, recent] = await Promise.all([
    readAuthors(database, viewer, accountId, see),
    readTeams(database, accountId, see),
    readEntries(database, accountId, see),
    readDays(database, viewer, accountId, see),
    readCompetitions(database, viewer, accountId, see),
    readRecent(database, viewer, accountId, see),
  ]);
  const records = await readRecords(database, accountId, entries);
  return { ...head, authors, teams, entries, records, competitions, weeks: weeksUntil(new Date(), days), recent };
}

/** Returns an SQL condition: whether the viewer may see objects of the competition in the column. */
type See = (column: "problem.competition" | "competition.name") => RawBuilder<boolean>;

type Head = Pick<Person, "account" | "createdAt" | "bannedAt">;

async function readHead({ db }: Database, viewer: Viewer, id: string, see: See, always: boolean): Promise<Head | null> {
  const row = await db
    .selectFrom("account")
    .select(["id", "name", "created_at", "banned_at"])
    .where("id", "=", id)
    .where(
      sql<boolean>`(${always}::boolean
          or exists (select from submission s join problem on problem.name = s.problem
            where s.account_id = account.id and s.removed_at is null and not s.is_evaluation and ${see("problem.competition")}
              and ${unhidden(viewer, "s")})
          or exists (select from competition join team_member m on m.competition = competition.name
            where m.account_id = account.id and ${see("competition.name")})
          or exists (select from competition join competition_organiser o on o.competition = competition.name
            where o.account_id = account.id and ${see("competition.name")})
          or exists (select from kernelbench_entry e where e.account_id = account.id and e.published_at is not null))`,
    )
    .executeTakeFirst();
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
    .where("s.is_evaluation", "=", false)
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

/** Returns the board entries of an account and of the teams that it is in. */
async function readEntries({ db }: Database, id: string, see: See): Promise<PersonEntry[]> {
  const { rows } = await sql<EntryRow>`
    with own as (
      select e.* from board_entry e where e.team_id is null and e.account_id = ${id}
      union all
      select e.* from team_member m join board_entry e on e.team_id = m.team_id
      where m.account_id = ${id} and m.left_at is null
    )
    select own.*, team.name as team_name, s.created_at as submitted_at, v.spec ->> 'harness' as harness,
      (select imported from run where run.id = own.run_id) as imported, above.keys, n.entries, w.frozen, w.freezes_at, w.reveals_at
    from own
    join problem on problem.name = own.problem
    join problem_window w on w.problem = own.problem
    join board b on b.problem = own.problem and b.target = own.target
    join problem_version v on v.hash = b.version
    join submission s on s.id = own.submission_id
    left join team on team.id = own.team_id
    cross join lateral (select count(*) as entries from board_entry e
      where e.problem = own.problem and e.target = own.target) n
    cross join lateral (
      select array_agg(case when e.noisy then e.rank_key else coalesce(-e.ranked_high, e.time_low_ns) end order by e.rank_key, e.entry_run_id)
        || array_agg(coalesce(-e.ranked_low, e.time_high_ns) order by e.rank_key, e.entry_run_id) as keys
      from board_entry e where e.problem = own.problem and e.target = own.target
        and (e.rank_key, e.entry_run_id) <= (own.rank_key, own.entry_run_id)) above
    where ${see("problem.competition")}`.execute(db);
  return rows.toSorted(compareBoards).map((row) => ({
    board: row.problem,
    target: row.target,
    rank: rankBy(row.keys),
    of: row.entries,
    team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
    own: row.account_id === id,
    submissionId: row.submission_id,
    runId: row.run_id,
    verification: row.confirmed ? "confirmed" : "provisional",
    timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns },
    speedup: intervalOf(row.speedup, row.speedup_low, row.speedup_high),
    ...rankedByOfRow(row),
    ...(row.noisy && { noisy: true as const }),
    submittedAt: row.submitted_at.toISOString(),
    unsandboxed: row.unsandboxed,
    legacyHarness: row.harness === "legacy",
    imported: row.imported,
    freeze: freezeOf(row),
  }));
}

interface EntryRow extends Selectable<Tables["board_entry"]> {
  team_name: string | null;
  submitted_at: Date;
  harness: string | null;
  imported: boolean;
  entries: number;
  /**
   * Lower ends of the intervals of the rank keys of all entries up to and including this one, from best to worst,
   * followed by their upper ends. See core's `rankKey`.
   */
  keys: number[];
  frozen: boolean;
  freezes_at: Date | null;
  reveals_at: Date | null;
}

/** Returns the rank of the last entry of `EntryRow.keys`. */
function rankBy(keys: readonly number[]): number {
  const count = keys.length / 2;
  const entries = Array.from({ length: count }, (_, at) => {
    const [low, high] = [keys[at] as number, keys[count + at] as number];
    return { timeNs: { value: low, low, high } };
  });
  return rankEntries(entries).at(-1)?.rank ?? 1;
}

/**
 * Returns the runs of an account that were board records, the latest first, on the boards where the account has an
 * entry.
 */
async function readRecords({ db }: Database, id: string, entries: readonly PersonEntry[]): Promise<Person["records"]> {
  const { rows } = await sql<{
    problem: string;
    target: string;
    submission_id: number;
    time_ns: number;
    ranked_by: RankedBy["ranking"] | null;
    ranked_value: number | null;
    created_at: Date;
    until: Date | null;
  }>`
      with best as (
        select k.*, min(rank_key) over (partition by k.problem, k.target order by k.created_at, k.entry_run_id
          rows between unbounded preceding and 1 preceding) as key_before
        from public_board_run k join unnest(${entries.map(({ board }) => board)}::text[], ${entries.map(({ target }) => target)}::text[])
          as stood (problem, target) on stood.problem = k.problem and stood.target = k.target
        where k.account_id = ${id} and not k.noisy
      )
      select best.problem, best.target, best.submission_id, best.time_ns, best.ranked_by, best.ranked_value, best.created_at, (
          select min(k.created_at) from public_board_run k where k.problem = best.problem and k.target = best.target and not k.noisy
            and k.rank_key < best.rank_key and (k.created_at, k.entry_run_id) > (best.created_at, best.entry_run_id)) as until
      from best
      where (best.key_before is null or best.rank_key < best.key_before)
        and not exists (select from public_board_run k where k.problem = best.problem and k.target = best.target and not k.noisy
          and k.rank_key <= best.rank_key and (k.created_at, k.entry_run_id) < (best.created_at, best.entry_run_id))
      order by best.created_at desc, best.entry_run_id desc limit ${RECENT}`.execute(db);
  return rows.map((row) => ({
    board: row.problem,
    target: row.target,
    submissionId: row.submission_id,
    timeNs: row.time_ns,
    ...withBest("rankedBy", row),
    since: row.created_at.toISOString(),
    until: row.until?.toISOString() ?? null,
  }));
}

interface DayRow {
  day: string;
  submissions: number;
}

async function readDays(database: Database, viewer: Viewer, id: string, see: See): Promise<DayRow[]> {
  return submissionsOf(database, viewer, id, see)
    .select(sql<string>`to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD')`.as("day"))
    .select(sql<number>`count(*)::integer`.as("submissions"))
    .where("s.created_at", ">=", new Date(Date.now() - WEEKS * WEEK_MS))
    .groupBy("day")
    .execute();
}

/** Returns one entry for each week of the last year, including weeks without submissions. */
function weeksUntil(now: Date, rows: readonly DayRow[]): Person["weeks"] {
  const counts = new Map(rows.map(({ day, submissions }) => [day, submissions]));
  const today = Math.floor(now.getTime() / DAY_MS);
  // 1 January 1970 was a Thursday.
  const monday = today - ((today + 3) % 7);
  const date = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
  return Array.from({ length: WEEKS }, (_, index) => {
    const first = monday - (WEEKS - 1 - index) * 7;
    const days = Array.from({ length: 7 }, (_, at) => counts.get(date(first + at)) ?? 0);
    return { monday: date(first), submissions: days.reduce((sum, count) => sum + count, 0), days };
  });
}

/** Returns the competitions to whose problems the account submitted, the latest first. */
async function readCompetitions(
  database: Database,
  viewer: Viewer,
  id: string,
  see: See,
): Promise<Person["competitions"]> {
  const rows = await submissionsOf(database, viewer, id, see)
    .innerJoin("competition", "competition.name", "problem.competition")
    .select(["competition.name", "competition.title"])
    .select((build) => build.fn.countAll<number>().as("submissions"))
    .select(sql<Date>`max(s.created_at)`.as("last_at"))
    .groupBy(["competition.name", "competition.title"])
    .orderBy("last_at", "desc")
    .limit(RECENT)
    .execute();
  return rows.map(({ name, title, submissions, last_at: at }) => ({
    ...{ competition: name, title, submissions, lastAt: at.toISOString() },
  }));
}

async function readRecent(database: Database, viewer: Viewer, id: string, see: See): Promise<Person["recent"]> {
  const rows = await submissionsOf(database, viewer, id, see)
    .innerJoin("run", "run.submission_id", "s.id")
    .select(["s.id", "problem.name as problem", "run.target", "s.file_name", "s.created_at"])
    .select(["run.time_ns", "run.time_low_ns", "run.time_high_ns"])
    .select(["run.ranked_by", "run.ranked_value", "run.ranked_low", "run.ranked_high"])
    .where("s.mode", "=", "ranked")
    .where("run.verdict", "=", "passed")
    .where("run.rerun", "=", 0)
    // Not by id: imported submissions are older than their ids.
    .orderBy("s.created_at", "desc")
    .orderBy("s.id", "desc")
    // The runs of a submission are in the order of its targets.
    .orderBy("run.id")
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
        ...rankedByOfRow(row),
      },
    ];
  });
}

function intervalOf(value: number | null, low: number | null, high: number | null) {
  return value === null || low === null || high === null ? null : { value, low, high };
}
