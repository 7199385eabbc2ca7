/** Decides which competitions may be in a snapshot. */
import { formatCount, type CodeVisibility, type Visibility } from "@kernelbot/core";

export interface Candidate {
  name: string;
  visibility: Visibility;
  codeVisibility: CodeVisibility;
  /** When its boards become final: at its end, or at its reveal. */
  endsAt: Date;
  ended: boolean;
}

/** SQL that selects competitions as candidates. */
export const CANDIDATES = `select name, visibility, code_visibility as "codeVisibility",
  coalesce(reveal_at, ends_at) as "endsAt", coalesce(reveal_at, ends_at) <= now() as ended from competition`;

/** Returns why a competition may not be in a snapshot, as a sentence; null if it may. */
export function exportObstacle({ name, visibility, codeVisibility, endsAt, ended }: Candidate): string | null {
  if (visibility === "closed")
    return `the competition ${name} is closed; make it public or unlisted to export its data`;
  if (codeVisibility === "never") return `the competition ${name} never shows the sources of its submissions`;
  if (!ended) return `the competition ${name} is open until ${endsAt.toISOString()}; export its data after that`;
  return null;
}

/**
 * SQL that counts, per competition named by the parameter, the unfinished runs that may change its boards or add rows:
 * those of submissions made before the end of their problem, or entered later by an organiser. Others do not change
 * boards.
 */
export const UNFINISHED_RUNS = `select c.name, count(*) as runs
  from competition c
  join problem p on p.competition = c.name and p.suite is null
  join problem_window w on w.problem = p.name
  join submission s on s.problem = p.name
  join account a on a.id = s.account_id
  join run r on r.submission_id = s.id
  where c.name = any($1::text[]) and r.state in ('queued', 'running') and (s.created_at < w.closes_at or s.entered_by is not null)
    and s.removed_at is null and not s.is_evaluation and a.banned_at is null
  group by c.name order by c.name`;

export interface Unfinished {
  name: string;
  runs: number;
}

/** Returns why the data is not complete, as a sentence; null if it is. */
export function unfinishedRunsObstacle(unfinished: readonly Unfinished[]): string | null {
  if (unfinished.length === 0) return null;
  const runs = unfinished.map(({ name, runs }) => `${name} has ${formatCount(runs, "unfinished run")}`).join(", ");
  return `${runs}, which may change its boards; wait until they have finished, or request a provisional snapshot (--provisional)`;
}
