/**
 * Problems that an account uploads for its own evaluations. Each is a version without a name on the server, so it is in
 * no list, board or export. For organisers only: a problem decides how long a run takes and how much memory its inputs have.
 */
import {
  formatBytes,
  formatCount,
  KernelBotError,
  MAX_UPLOADED_BYTES,
  MAX_UPLOADED_PROBLEMS,
  quote,
  uploadedProblem,
  uploadedVersion,
  sortedTargets,
  type Problem,
  type ProblemTree,
  type UploadedProblem,
} from "@kernelbot/core";
import { sql, type Transaction } from "kysely";
import { audit } from "../auth/audit.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { json } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { readProblemVersion } from "../problems/problems.ts";
import { readTree } from "../problems/tree.ts";
import { lockEvaluations } from "./lock-account.ts";

/** Limits of what an account has uploaded. */
export interface UploadLimits {
  problems: number;
  bytes: number;
}

const UPLOAD_LIMITS: UploadLimits = { problems: MAX_UPLOADED_PROBLEMS, bytes: MAX_UPLOADED_BYTES };

/** Number of problems that one transaction deletes. */
const AT_ONCE = 100;

/**
 * Stores a problem for the evaluations of the caller. If it was uploaded before, it only counts as used.
 * @throws KernelBotError `forbidden` if the caller is not an organiser; `unprocessable` if the files are not one valid
 * problem; `conflict` if a limit of the account is reached.
 */
export async function uploadProblem(
  database: Database,
  identity: Identity,
  files: ProblemTree,
  limits: UploadLimits = UPLOAD_LIMITS,
): Promise<UploadedProblem> {
  requireRole(identity, "organiser");
  const { problem, version } = await readOnly(files);
  await storeUpload(database, identity, { problem, version }, limits);
  return { problem: uploadedProblem(version), name: problem.spec.name, targets: sortedTargets(problem.spec) };
}

/** Returns the problem of a tree. @throws KernelBotError `unprocessable` if there is not exactly one valid problem. */
async function readOnly(files: ProblemTree): Promise<{ problem: Problem; version: string }> {
  const { problems } = await readTree(files, null);
  // A competition file may list other directories, too.
  const [found, ...others] = problems.filter(({ path }) => Object.hasOwn(files, `${path}/task.yml`));
  if (found === undefined || others.length > 0) {
    const what = formatCount(others.length + (found === undefined ? 0 : 1), "directory", "directories");
    throw new KernelBotError(
      "unprocessable",
      `files: ${what} with a task.yml; send one problem, with paths such as vectoradd/task.yml`,
    );
  }
  if ("error" in found.read) throw new KernelBotError("unprocessable", found.read.error);
  return found.read;
}

/**
 * Stores a problem for the evaluations of the caller, unless they uploaded it before.
 * @throws KernelBotError `forbidden` if it is new and the caller is not an organiser; `conflict`.
 */
export async function storeUpload(
  database: Database,
  identity: Identity,
  { problem, version }: { problem: Problem; version: string },
  limits: UploadLimits = UPLOAD_LIMITS,
): Promise<void> {
  await runTransaction(idempotent(database.db), async (transaction) => {
    await lockEvaluations(transaction, identity.account.id);
    if (await touchUpload(transaction, identity.account.id, [version])) return;
    requireRole(identity, "organiser");
    const sizeBytes = Buffer.byteLength(JSON.stringify(problem));
    await requireSpace(transaction, identity.account.id, sizeBytes, limits);
    await transaction
      .insertInto("problem_version")
      .values({ hash: version, problem: problem.spec.name, spec: json(problem.spec), files: json(problem.files) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await transaction
      .insertInto("uploaded_problem")
      .values({ account_id: identity.account.id, version, size_bytes: sizeBytes })
      .execute();
    await audit(transaction, identity, "upload", `problem ${uploadedProblem(version)}`, { name: problem.spec.name });
  });
}

/** Records that the account uses these problems now. @returns whether it has uploaded any of them. */
export async function touchUpload(
  transaction: Transaction<Tables>,
  accountId: string,
  versions: readonly string[],
): Promise<boolean> {
  if (versions.length === 0) return false;
  const own = sql`account_id = ${accountId} and version = any(${[...versions]}::text[])`;
  // To the hour, so that thousands of evaluations do not each write the row. The row lock keeps old problems from being
  // deleted by the background job, or waits until they are.
  await sql`
    update uploaded_problem set used_at = clock_timestamp()
    where ${own} and used_at < clock_timestamp() - interval '1 hour'`.execute(transaction);
  const { rows } = await sql`select from uploaded_problem where ${own} limit 1`.execute(transaction);
  return rows.length > 0;
}

async function requireSpace(
  transaction: Transaction<Tables>,
  accountId: string,
  sizeBytes: number,
  limits: UploadLimits,
): Promise<void> {
  const { rows } = await sql<UploadLimits>`
    select count(*)::integer as problems, coalesce(sum(size_bytes), 0)::float8 as bytes
    from uploaded_problem where account_id = ${accountId}`.execute(transaction);
  const used = rows[0] ?? { problems: 0, bytes: 0 };
  const full =
    used.problems >= limits.problems
      ? `${formatCount(used.problems, "uploaded problem")} of at most ${limits.problems.toLocaleString("en-US")}`
      : used.bytes + sizeBytes > limits.bytes
        ? `${formatBytes(used.bytes)} of at most ${formatBytes(limits.bytes)} of uploaded problems, and this one has ${formatBytes(sizeBytes)}`
        : null;
  if (full === null) return;
  throw new KernelBotError(
    "conflict",
    `the account has ${full}; problems that are not evaluated are deleted after a time (see Train against the judge)`,
  );
}

/** Returns the error for an uploaded problem that does not exist for the account, whether another account has it or not. */
export function noUpload(reference: string): KernelBotError {
  return new KernelBotError(
    "not_found",
    `problem ${quote(reference)} not found: this account has not uploaded it, or it was deleted after a time without use; upload it again`,
  );
}

/** Returns a problem that the account has uploaded, by its reference; null if there is none. */
export async function readUpload(
  database: Database,
  { account }: Identity,
  reference: string,
): Promise<{ problem: Problem; version: string } | null> {
  const version = uploadedVersion(reference);
  if (version === null) return null;
  const row = await database.db
    .selectFrom("uploaded_problem")
    .select("version")
    .where("account_id", "=", account.id)
    .where("version", "=", version)
    .executeTakeFirst();
  const problem = row === undefined ? null : await readProblemVersion(database, version);
  return problem === null ? null : { problem, version };
}

/**
 * Deletes problems that were last used before `before`, and have no evaluations left, with their versions unless
 * something else refers to these.
 * @returns the number of deleted problems, at most 100.
 */
export function deleteOldUploads(database: Database, before: Date): Promise<number> {
  return runTransaction(idempotent(database.db), async (transaction) => {
    const { rows } = await sql<{ version: string }>`
      delete from uploaded_problem where (account_id, version) in (
        select account_id, version from uploaded_problem u where used_at < ${before}::timestamptz
          and not exists (select from submission s where s.problem_version = u.version and s.account_id = u.account_id)
        order by used_at limit ${AT_ONCE}::integer for update skip locked)
      returning version`.execute(transaction);
    await sql`
      delete from problem_version v where hash = any(${rows.map(({ version }) => version)}::text[])
        and not exists (select from uploaded_problem u where u.version = v.hash)
        and not exists (select from submission s where s.problem_version = v.hash)
        and not exists (select from problem p where p.version = v.hash)
        and not exists (select from problem_change c where c.version = v.hash)
        and not exists (select from board_revision r where r.problem_version = v.hash)
        and not exists (select from kernelbench_suite_problem k where k.problem_version = v.hash)`.execute(transaction);
    return rows.length;
  });
}
