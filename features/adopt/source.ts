/**
 * The database of an existing KernelBot, read in one snapshot that does not change while the server of that database
 * keeps running. Nothing is written to it.
 */
import { KernelBotError, quote } from "@kernelbot/core";
import { openClient, type Client, type Connection } from "@kernelbot/server/src/db/client.ts";
import { batches } from "@kernelbot/server/src/db/cursor.ts";
import type { Report } from "./report.ts";
import { parseRow } from "./report.ts";
import {
  SourceInvite,
  SourceLeaderboard,
  SourceRateLimit,
  SourceRun,
  SourceSubmission,
  SourceUser,
} from "./source-rows.ts";

export interface Source {
  listUsers(): Promise<SourceUser[]>;
  listLeaderboards(): Promise<SourceLeaderboard[]>;
  listInvites(): Promise<SourceInvite[]>;
  listRateLimits(): Promise<SourceRateLimit[]>;
  /** Lists all submissions in the order of their ids. */
  listSubmissions(): Promise<SubmissionState[]>;
  /** Returns the times at which submissions were made, in milliseconds, by id. */
  listTimes(ids: readonly number[]): Promise<Map<number, number>>;
  /** Returns the ids of the runs of each submission. */
  listRunIds(): Promise<Map<number, number[]>>;
  readSubmissions(ids: readonly number[], runIds: readonly number[]): Promise<SubmissionBatch>;
  close(): Promise<void>;
}

/** What changes about a submission after it was made. */
export interface SubmissionState {
  id: number;
  done: boolean;
  status: string | null;
  job_status: string | null;
  /** Null unless it is disqualified: the list is in memory. */
  job_error: string | null;
}

interface SubmissionBatch {
  submissions: SourceSubmission[];
  /** Runs by the id of their submission. */
  runs: Map<number, SourceRun[]>;
}

export const REQUIRED = ["leaderboard", "gpu_type", "user_info", "code_files", "submission", "runs"];
export const OPTIONAL = [
  "templates",
  "submission_job_status",
  "leaderboard_invite",
  "leaderboard_invite_scope",
  "rate_limit",
];

/** Number of bytes of a result, and of characters of an output, beyond which it is not read. */
const MAX_RESULT_BYTES = 1_000_000;
const MAX_OUTPUT = 16_384;

/**
 * Opens the source.
 * @throws KernelBotError `bad_request` if a table is missing or may not be read; `unavailable` if the database cannot be
 * reached.
 */
export async function openSource(connection: Connection, report: Report): Promise<Source> {
  const client = openClient(connection, { name: "kernelbot-adopt" });
  try {
    await client.query("begin isolation level repeatable read read only");
    return sourceOf(client, await tablesOf(client), report);
  } catch (error) {
    await client.end(1);
    if (error instanceof KernelBotError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new KernelBotError("unavailable", `--from: the database cannot be opened: ${why}`, { cause: error });
  }
}

async function tablesOf(client: Client): Promise<ReadonlySet<string>> {
  const rows = await client.query(`
    select c.relname as name, has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'leaderboard' and c.relkind in ('r', 'p')`);
  const tables = new Map(rows.map((row) => [String(row["name"]), row["readable"] === true]));
  const missing = REQUIRED.find((table) => !tables.has(table));
  if (missing !== undefined) {
    throw new KernelBotError(
      "bad_request",
      `--from: the table ${quote(`leaderboard.${missing}`)} does not exist; name the database of a KernelBot in Python`,
    );
  }
  const secret = [...REQUIRED, ...OPTIONAL].find((table) => tables.get(table) === false);
  if (secret === undefined) return new Set(tables.keys());
  throw new KernelBotError(
    "bad_request",
    `--from: its user may not read the table ${quote(`leaderboard.${secret}`)}: grant usage on schema leaderboard and select on all its tables`,
  );
}

function sourceOf(client: Client, tables: ReadonlySet<string>, report: Report): Source {
  const has = (table: (typeof OPTIONAL)[number]) => tables.has(table);

  async function rows<Row>(schema: Parameters<typeof parseRow>[0], table: string, text: string): Promise<Row[]> {
    const found = await client.query(text);
    return found.flatMap(({ row }) => (parseRow(schema, row, { table, report }) as Row | null) ?? []);
  }

  const job = has("submission_job_status")
    ? "left join leaderboard.submission_job_status j on j.submission_id = s.id"
    : "left join (select null::text as status, null::text as error) j on true";

  return {
    listUsers: () =>
      rows(SourceUser, "user_info", "select to_jsonb(u) as row from leaderboard.user_info u order by id"),
    listLeaderboards: () =>
      rows(
        SourceLeaderboard,
        "leaderboard",
        `select to_jsonb(l) || jsonb_build_object(
          'gpus', (select coalesce(jsonb_agg(gpu_type order by gpu_type), '[]') from leaderboard.gpu_type g where g.leaderboard_id = l.id),
          'templates', ${has("templates") ? "(select coalesce(jsonb_object_agg(lang, code), '{}') from leaderboard.templates t where t.leaderboard_id = l.id)" : "'{}'::jsonb"},
          'first_submission', (select min(submission_time) from leaderboard.submission s where s.leaderboard_id = l.id)) as row
        from leaderboard.leaderboard l order by id`,
      ),
    listInvites: async () =>
      has("leaderboard_invite") && has("leaderboard_invite_scope")
        ? rows(
            SourceInvite,
            "leaderboard_invite",
            `select to_jsonb(i) || jsonb_build_object('leaderboards', (select coalesce(jsonb_agg(leaderboard_id order by 1), '[]')
              from leaderboard.leaderboard_invite_scope s where s.invite_id = i.id)) as row
            from leaderboard.leaderboard_invite i order by id`,
          )
        : [],
    listRateLimits: async () =>
      has("rate_limit")
        ? rows(SourceRateLimit, "rate_limit", "select to_jsonb(r) as row from leaderboard.rate_limit r order by id")
        : [],
    async listSubmissions() {
      const found =
        await client.query(`select s.id, coalesce(s.done, false) as done, to_jsonb(s) ->> 'status' as status,
        j.status as job_status, case when 'hacked' in (to_jsonb(s) ->> 'status', j.status) then left(j.error, 1000) end as job_error
        from leaderboard.submission s ${job} order by s.id`);
      return Array.from(found) as unknown as SubmissionState[];
    },
    async listTimes(ids) {
      const found = await client.query(
        "select id, submission_time from leaderboard.submission where id = any($1::text::bigint[])",
        [arrayText(ids)],
      );
      return new Map(found.map((row) => [Number(row["id"]), new Date(row["submission_time"] as string).getTime()]));
    },
    async listRunIds() {
      const runIds = new Map<number, number[]>();
      // One scan: the table has no index that finds all runs of a submission.
      for await (const chunk of batches<{ id: number; submission_id: number }>(
        client,
        "run_id",
        10_000,
        "select id, submission_id from leaderboard.runs",
      )) {
        for (const { id, submission_id } of chunk) {
          const own = runIds.get(submission_id);
          if (own === undefined) runIds.set(submission_id, [id]);
          else own.push(id);
        }
      }
      return runIds;
    },
    async readSubmissions(ids, runIds) {
      const [submissions, runs] = await Promise.all([
        client.query(
          `select s.id, s.leaderboard_id, s.file_name, s.user_id, s.submission_time, s.done, to_jsonb(s) ->> 'status' as status,
            to_jsonb(s) ->> 'mode_category' as mode_category, j.status as job_status, left(j.error, 2000) as job_error, c.code
          from leaderboard.submission s join leaderboard.code_files c on c.id = s.code_id ${job}
          where s.id = any($1::text::bigint[]) order by s.id`,
          [arrayText(ids)],
        ),
        client.query(
          `select id, submission_id, start_time, end_time, mode, secret, runner, score, passed,
            case when not secret and pg_column_size(result) <= ${MAX_RESULT_BYTES} then result end as result,
            case when not secret then left(meta ->> 'stdout', ${MAX_OUTPUT}) end as stdout,
            case when not secret then left(meta ->> 'stderr', ${MAX_OUTPUT}) end as stderr,
            meta -> 'exit_code' as exit_code, compilation -> 'success' as compiled
          from leaderboard.runs where id = any($1::text::bigint[]) order by id`,
          [arrayText(runIds)],
        ),
      ]);
      const parsed = runs.flatMap((row) => parseRow(SourceRun, row, { table: "runs", report }) ?? []);
      return {
        submissions: submissions.flatMap(
          (row) => parseRow(SourceSubmission, row, { table: "submission", report }) ?? [],
        ),
        runs: Map.groupBy(parsed, ({ submission_id }) => submission_id),
      };
    },
    close: () => client.end(1),
  };
}

function arrayText(ids: readonly number[]): string {
  return `{${ids.join(",")}}`;
}
