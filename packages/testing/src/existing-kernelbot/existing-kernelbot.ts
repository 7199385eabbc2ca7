/** The database of an existing KernelBot in Python, with synthetic rows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openClient, type Client, type Connection } from "@kernelbot/server/src/db/client.ts";

interface ExistingRows {
  users: number;
  leaderboards: number;
  submissions: number;
}

/** Creates the schema and fills it, in an empty database. */
export async function fillExisting(
  connection: Connection,
  { users, leaderboards, submissions }: ExistingRows,
): Promise<void> {
  await withClient(connection, async ({ sql }) => {
    await sql.unsafe(readFileSync(join(import.meta.dirname, "schema.sql"), "utf8"));
    await sql.unsafe(readFileSync(join(import.meta.dirname, "fill.sql"), "utf8"));
    await sql.unsafe(`select pg_temp.fill(${users}, ${leaderboards}, ${submissions})`);
    await sql.unsafe("analyze");
  });
}

/** Adds rows with every kind of value that the tables allow, to a database that `fillExisting` has filled. */
export async function fillOdd(connection: Connection): Promise<void> {
  await withClient(connection, async ({ sql }) => {
    const texts = ["fill.sql", "odd.sql"].map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
    await sql.unsafe(texts.join("\n"));
  });
}

/** Executes statements in the existing database. */
export async function changeExisting(connection: Connection, text: string): Promise<void> {
  await withClient(connection, async ({ sql }) => {
    await sql.unsafe(text);
  });
}

interface ExistingEntry {
  leaderboard: string;
  gpu: string;
  user: string;
  submission: number;
  /** Seconds. */
  score: number;
}

/**
 * Returns the entries of all boards, in the order of the existing system: each user's fastest run that is public, passed
 * and has a score that is a plausible time, if its submission is not disqualified, a secret run of it passed and none failed.
 * @param without Submissions that are left out.
 */
export async function existingEntries(
  connection: Connection,
  without: readonly number[] = [],
): Promise<ExistingEntry[]> {
  return withClient(connection, async (client) => {
    const rows = await client.query(
      `
      select * from (
        select distinct on (l.name, r.runner, s.user_id) l.name as leaderboard, r.runner as gpu, s.user_id as user, s.id as submission,
          r.score::float8 as score
        from leaderboard.runs r join leaderboard.submission s on s.id = r.submission_id
        join leaderboard.leaderboard l on l.id = s.leaderboard_id
        left join leaderboard.submission_job_status j on j.submission_id = s.id
        left join (
          select submission_id, runner, bool_or(passed and mode = 'leaderboard') as passed, bool_or(not passed) as failed
          from leaderboard.runs where secret group by 1, 2
        ) hidden on hidden.submission_id = s.id and hidden.runner = r.runner
        where s.id <> all(string_to_array($1, ',')::bigint[]) and not r.secret and r.score >= 1e-7 and r.score < 1e299 and r.passed and s.status <> 'hacked' and j.status is distinct from 'hacked'
          and hidden.passed and not hidden.failed
        order by l.name, r.runner, s.user_id, r.score, s.id
      ) best order by leaderboard, gpu, score, submission`,
      [without.join(",")],
    );
    return Array.from(rows) as unknown as ExistingEntry[];
  });
}

async function withClient<Result>(connection: Connection, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = openClient(connection, { name: "existing kernelbot" });
  try {
    return await use(client);
  } finally {
    await client.end(1);
  }
}
