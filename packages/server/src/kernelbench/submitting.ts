/**
 * Submits stored kernels; each becomes an ordinary submission of the entry's account. A server leases the entry for a
 * turn. Stored kernels are never lost, because another server continues when the lease expires, and never submitted
 * twice, because each has an idempotency key.
 */
import { kernelKeyText, KernelBotError, type KernelKey, type Mode, type SubmitRequest } from "@kernelbot/core";
import { sql, type Selectable } from "kysely";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { jsonText } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { backoffMs } from "../jobs/backoff.ts";
import { leaseDue } from "../jobs/lease.ts";
import { workOffDue } from "../jobs/workers.ts";
import { cancelOpenRuns } from "../submissions/cancel.ts";
import { submit } from "../submissions/submit.ts";
import { readProblemVersion } from "../problems/problems.ts";

/** Number of kernels submitted concurrently, and per turn of an entry. */
const AT_ONCE = 50;
const IN_A_TURN = 500;
/** Duration of a lease, much longer than a turn takes. */
const LEASE_MS = 120_000;
/** 2 s, 4 s, 8 s, … up to 1 min. */
const BACKOFF = { firstMs: 2000, maxMs: 60_000 };

/**
 * SQL: the kernels that can be submitted. Excludes kernels whose problem has changed since, because they would be
 * judged by another problem.
 */
const WAITING = sql`
  from kernelbench_kernel k
  join kernelbench_entry e on e.id = k.entry_id and e.stopped_at is null
  join account a on a.id = e.account_id and a.banned_at is null
  join kernelbench_suite_problem sp
    on sp.suite_version = e.suite_version and sp.level = k.level and sp.problem = k.problem
  join problem p on p.name = sp.board and p.version = sp.problem_version
  join board b on b.problem = p.name and b.target = e.target and b.accepts
  where k.submission_id is null`;

interface WaitingKernel extends KernelKey {
  entry_id: number;
  submission_number: number;
  source: string;
  board: string;
  problem_version: string;
  target: string;
  compiled_baseline: boolean;
  model: string;
  account_id: string;
  account_name: string;
}

type EntryRow = Selectable<Tables["kernelbench_entry"]>;

/** Submits the waiting kernels of all entries. Entries take turns. */
export function submitAllWaiting(
  database: Database,
  {
    signal = new AbortController().signal,
    clock = () => new Date(),
  }: { signal?: AbortSignal; clock?: () => Date } = {},
): Promise<void> {
  return workOffDue({
    name: "submitting kernels",
    slowMs: LEASE_MS,
    claim: () => claimEntry(database, clock()),
    work: (entry) => submitTurn(database, entry, clock),
    signal,
    log: database.log,
  });
}

/** Submits waiting kernels of an entry, up to one turn, unless another server is doing so. */
export async function submitWaiting(database: Database, entryId: number): Promise<void> {
  const entry = await claimEntry(database, new Date(), entryId);
  if (entry !== undefined) await submitTurn(database, entry, () => new Date());
}

/** Leases the entry with waiting kernels that has been due longest. */
async function claimEntry({ db }: Database, now: Date, entryId?: number): Promise<EntryRow | undefined> {
  const [entry] = await leaseDue(db, "kernelbench_entry", {
    now,
    leaseMs: LEASE_MS,
    where: sql`exists (select ${WAITING} and k.entry_id = due.id)
      and due.id = coalesce(${entryId ?? null}::bigint, due.id)`,
  });
  return entry;
}

/** Submits kernels of a leased entry, and releases it; after a failure it is due again later. */
async function submitTurn(database: Database, entry: EntryRow, clock: () => Date): Promise<void> {
  const { id, lease_until: heldUntil } = entry;
  let tries = 0;
  let delayMs = 0;
  try {
    await submitKernels(database, id);
  } catch (error) {
    tries = entry.tries + 1;
    delayMs = backoffMs(BACKOFF, tries);
    database.log(`submitting kernels of entry ${id} failed, retrying: ${String(error)}`);
  }
  await idempotent(database.db)
    .updateTable("kernelbench_entry")
    .set({ tries, due_at: new Date(clock().getTime() + delayMs), lease_until: null })
    .where("id", "=", id)
    // Ignored when another server has taken over.
    .where("lease_until", "=", heldUntil)
    .execute();
}

/**
 * Submits the waiting kernels of an entry, up to one turn. Kernels that the account already had judged in the same way
 * reuse that result.
 */
async function submitKernels(database: Database, entryId: number): Promise<void> {
  await reuseResults(database, entryId);
  const waiting = await readWaiting(database, entryId);
  for (let at = 0; at < waiting.length; at += AT_ONCE) {
    const outcomes = await Promise.allSettled(
      waiting.slice(at, at + AT_ONCE).map((kernel) => submitOne(database, kernel)),
    );
    await linkSubmissions(
      database,
      entryId,
      outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    );
    // A concurrent `stopEntry` could not see these submissions.
    if (await isStopped(database, entryId)) return cancelQueued(database, entryId);
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }
}

/** Cancels the queued runs of an entry. */
export async function cancelQueued({ db }: Database, entryId: number): Promise<void> {
  const rows = await db
    .selectFrom("kernelbench_kernel as k")
    .innerJoin("run", "run.submission_id", "k.submission_id")
    .select("run.submission_id")
    .where("k.entry_id", "=", entryId)
    .where("run.state", "=", "queued")
    .orderBy("run.submission_id")
    .execute();
  for (const { submission_id: id } of rows) {
    await runTransaction(idempotent(db), (transaction) => cancelOpenRuns(transaction, id));
  }
}

/** Links kernels to existing results of the same account with the same source, problem version, target and mode. */
async function reuseResults({ db }: Database, entryId: number): Promise<void> {
  await sql`
      update kernelbench_kernel k set submission_id = found.id
      from (
        select distinct on (k.level, k.problem, k.sample) k.level, k.problem, k.sample, s.id
        from (select k.level, k.problem, k.sample, k.code_hash, e.account_id, e.target,
            ${modeOf("e.compiled_baseline")} as mode, sp.problem_version
            ${WAITING} and k.entry_id = ${entryId}) as k
        join kernelbench_kernel other on other.code_hash = k.code_hash
        join submission s on s.id = other.submission_id and s.account_id = k.account_id and s.mode = k.mode
          and s.problem_version = k.problem_version and s.removed_at is null
        join run r on r.submission_id = s.id and r.rerun = 0 and r.target = k.target and r.verdict in ('passed', 'failed')
        order by k.level, k.problem, k.sample, s.id desc
      ) as found
      where k.entry_id = ${entryId} and (k.level, k.problem, k.sample) = (found.level, found.problem, found.sample)
        and k.submission_id is null`.execute(idempotent(db));
}

function modeOf(column: string) {
  return sql<Mode>`case when ${sql.ref(column)} then 'duel' else 'benchmark' end`;
}

async function readWaiting({ db }: Database, entryId: number): Promise<WaitingKernel[]> {
  const { rows } = await sql<WaitingKernel>`
      select w.*, code.source
      from (
        select k.entry_id, k.level, k.problem, k.sample, k.submission_number, k.code_hash, sp.board, sp.problem_version, e.target,
          e.compiled_baseline, e.metadata ->> 'display_name' as model, a.id as account_id, a.name as account_name
        ${WAITING} and k.entry_id = ${entryId}
        order by k.level, k.problem, k.sample limit ${IN_A_TURN}
      ) as w
      join code on code.hash = w.code_hash
      order by w.level, w.problem, w.sample`.execute(db);
  return rows;
}

/** Link from a kernel to its submission. */
type Linked = Pick<WaitingKernel, "level" | "problem" | "sample" | "submission_number"> & { submission: number };

async function submitOne(database: Database, kernel: WaitingKernel): Promise<Linked> {
  const key = kernelKeyText(kernel);
  const { submission } = await submit(database, identityOf(kernel), await requestOf(database, kernel), {
    ownKey: `kernelbench/${kernel.entry_id}/${key}/${kernel.submission_number}`,
  });
  if (submission.problemVersion !== kernel.problem_version) {
    await runTransaction(database.db, (transaction) => cancelOpenRuns(transaction, submission.id));
    throw new KernelBotError("conflict", `the problem of ${key} was changed concurrently`);
  }
  const { level, problem, sample, submission_number } = kernel;
  return { level, problem, sample, submission_number, submission: submission.id };
}

/** One statement for all kernels, because each commit waits for the disk. */
async function linkSubmissions({ db }: Database, entryId: number, kernels: readonly Linked[]): Promise<void> {
  await sql`
      update kernelbench_kernel k set submission_id = l.submission
      from json_to_recordset(${jsonText(kernels)}::text::json)
        as l (level integer, problem integer, sample integer, submission_number integer, submission bigint)
      where k.entry_id = ${entryId} and (k.level, k.problem, k.sample, k.submission_number) = (l.level, l.problem, l.sample, l.submission_number)`.execute(
    idempotent(db),
  );
}

/** Returns the identity of the entry's account, with the scope to submit only. */
function identityOf({ account_id: id, account_name: name }: WaitingKernel): Identity {
  return {
    account: { id, name },
    ...{ roles: [], banReason: null, scopes: ["submit"], targets: [], tokenId: null, sessionId: null },
  };
}

async function requestOf(database: Database, kernel: WaitingKernel): Promise<SubmitRequest> {
  const { board, target, source, model, compiled_baseline: isDuel, problem_version: version } = kernel;
  const request = {
    ...{ board, source, targets: [target] },
    fileName: `${kernelKeyText(kernel)}.py`,
    author: "autonomous" as const,
    model: modelName(model),
  };
  if (!isDuel) return { ...request, mode: "benchmark" };
  const compiled = (await readProblemVersion(database, version))?.files["compiled.py"];
  if (compiled === undefined) throw new KernelBotError("internal", `${board} has no compiled.py`);
  return { ...request, mode: "duel", rival: { fileName: "compiled.py", source: compiled } };
}

/** Converts the display name of an entry to a valid model name of a submission. */
function modelName(shown: string): string {
  return (
    shown
      .replaceAll(/\p{C}+/gu, " ")
      .trim()
      .slice(0, 100) || "a model"
  );
}

async function isStopped({ db }: Database, entryId: number): Promise<boolean> {
  const { stopped_at: at } = await db
    .selectFrom("kernelbench_entry")
    .select("stopped_at")
    .where("id", "=", entryId)
    .executeTakeFirstOrThrow();
  return at !== null;
}
