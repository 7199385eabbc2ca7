/**
 * Selects the runs of a snapshot once for all its files, into a temporary table: runs of the competitions' problems
 * that have ended, of submissions with a licence that were not removed, of accounts that are not banned. The rule under which
 * a submission was made applies, if the competition never showed sources then.
 *
 * Ordered like the files: competition, problem, target, then from best to worst.
 */
import { compareTargets, type SnapshotManifest } from "@kernelbot/core";
import type { Client } from "../db/client.ts";
import type { Unfinished } from "./exportable.ts";

/** SQL condition on `submission s` and `account a` for submissions that may be included. */
const OPEN = `s.removed_at is null and not s.is_evaluation and s.contents_deleted_at is null and a.banned_at is null
  and a.erased_at is null and s.code_visibility is distinct from 'never'`;

/** SQL of the included runs of the competitions named by the parameter. */
export const RUNS = `from competition c
  join problem p on p.competition = c.name and p.suite is null
  join submission s on s.problem = p.name
  join account a on a.id = s.account_id
  join run r on r.submission_id = s.id
  join code on code.hash = s.code_hash
  where c.name = any($1::text[]) and s.licence is not null and ${OPEN} and r.state in ('done', 'cancelled')`;

const SELECT = `
create temporary table snapshot_run on commit preserve rows as
with run_of as (
  select c.name as competition, s.problem, r.target, r.problem_version, r.id as run_id, r.submission_id, s.licence,
    s.account_id, is_anonymous(s.anonymous, a.anonymous, s.problem) as anonymous, s.code_hash, octet_length(code.source) as code_bytes,
    coalesce(-r.ranked_value, r.time_ns) as rank_key, s.created_at, r.verdict is not distinct from 'passed' and r.mode = 'ranked' as successful
  ${RUNS}
)
select row_number() over (order by competition, problem, target, rank_key, run_id) as place, run_of.*,
  -- DEDUPLICATION_RULE of packages/dataset. A user is who the files say: with and without a name one is two.
  row_number() over (partition by problem, target, account_id, anonymous, code_hash
    order by successful desc, rank_key, created_at, run_id) = 1 as deduplicated,
  row_number() over (partition by competition, code_hash order by problem, target, rank_key, run_id) = 1 as first_of_code
from run_of`;

/** Creates the temporary table in the client's transaction. @returns the number of runs. */
export async function selectRuns(client: Client, competitions: readonly string[]): Promise<number> {
  // Three window orders over all runs, sorted in memory; only in this one session.
  await client.query("set local work_mem = '128MB'");
  await client.query("drop table if exists snapshot_run");
  await client.query(SELECT, [competitions as never]);
  await client.query("create unique index on snapshot_run (place)");
  await client.query("analyze snapshot_run");
  const [row] = await client.query("select count(*) as runs from snapshot_run");
  return (row as unknown as { runs: number }).runs;
}

type CompetitionFacts = SnapshotManifest["competitions"][number];

/** Returns the facts of each competition for the manifest. */
export async function competitionFacts(
  client: Client,
  competitions: readonly string[],
  unfinished: readonly Unfinished[],
): Promise<CompetitionFacts[]> {
  const rows = await client.query(
    `select c.name, c.title, c.starts_at, c.ends_at, r.submissions, r.runs, r.users,
      array(select p.name from problem p where p.competition = c.name and p.suite is null order by 1) as problems,
      array(select distinct b.target from board b join problem p on p.name = b.problem
        where p.competition = c.name and p.suite is null) as targets,
      (select count(*) from submission s join problem p on p.name = s.problem join account a on a.id = s.account_id
        where p.competition = c.name and p.suite is null and s.licence is null and ${OPEN}
          and exists (select from run where run.submission_id = s.id and run.state in ('done', 'cancelled'))) as withheld,
      (select coalesce(json_object_agg(licence, submissions order by licence), '{}') from (
        select licence, count(distinct submission_id) as submissions from snapshot_run t
        where t.competition = c.name group by licence) l) as licences
    from competition c cross join lateral (
      select count(*) as runs, count(distinct submission_id) as submissions,
        count(distinct (account_id, anonymous)) as users
      from snapshot_run t where t.competition = c.name) r
    where c.name = any($1::text[]) order by c.name`,
    [competitions as never],
  );
  const facts = rows as unknown as (Omit<CompetitionFacts, "startedAt" | "endedAt" | "unfinished"> & {
    starts_at: Date;
    ends_at: Date;
  })[];
  return Array.from(facts, ({ starts_at, ends_at, targets, ...rest }) => ({
    ...rest,
    targets: targets.toSorted(compareTargets),
    unfinished: unfinished.find(({ name }) => name === rest.name)?.runs ?? 0,
    startedAt: starts_at.toISOString(),
    endedAt: ends_at.toISOString(),
  }));
}

/** Returns the submission ids of earlier snapshots that must not appear in later ones. */
export async function withdrawn(client: Client, competitions: readonly string[]): Promise<number[]> {
  const rows = await client.query(
    `select n.number from dataset_number n
      join submission s on s.id = n.submission_id
      join account a on a.id = s.account_id
      join problem p on p.name = s.problem
    where p.competition = any($1::text[]) and not (${OPEN}) order by 1`,
    [competitions as never],
  );
  return Array.from(rows as unknown as { number: number }[], ({ number }) => number);
}
