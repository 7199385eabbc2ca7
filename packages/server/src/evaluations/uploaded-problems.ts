/**
 * Problems that an account uploads for its own evaluations. Each is a version without a name on the server, so it is in
 * no list, board or export. For organisers only: a problem decides how long a run takes and how much memory its inputs have.
 */
import {
  compareTargets,
  formatBytes,
  formatCount,
  KernelBotError,
  MAX_UPLOADED_BYTES,
  MAX_UPLOADED_PROBLEMS,
  quote,
  uploadedProblem,
  uploadedVersion,
  type Problem,
  type ProblemTree,
  type UploadedProblem,
} from "@kernelbot/core";
import { sql, type Kysely, type Transaction } from "kysely";
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
interface UploadLimits {
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
  const [stored] = await listUploads(database.db, identity, version);
  if (stored === undefined) throw noUpload(uploadedProblem(version));
  return stored;
}

/** Returns the problems that the account has uploaded, the last used first; only this version, if one is given. */
export async function listUploads(
  db: Kysely<Tables>,
  { account }: Identity,
  version: string | null = null,
): Promise<UploadedProblem[]> {
  const { rows } = await sql<Omit<UploadedProblem, "usedAt"> & { usedAt: Date }>`
    with open (version, evaluations) as (
      select s.problem_version, count(*)::integer from evaluation e join submission s on s.id = e.submission_id
      where e.account_id = ${account.id} and e.state = 'open' group by s.problem_version)
    select problem_reference(null, u.version) as problem, v.problem as name, u.size_bytes as "sizeBytes",
      array(select json_object_keys(v.spec -> 'targets')) as targets, u.used_at as "usedAt",
      coalesce(open.evaluations, 0) as "openEvaluations"
    from uploaded_problem u join problem_version v on v.hash = u.version left join open on open.version = u.version
    where u.account_id = ${account.id} and (${version}::text is null or u.version = ${version})
    order by u.used_at desc, u.version`.execute(db);
  return rows.map(({ targets, usedAt, ...row }) => ({
    ...row,
    targets: targets.toSorted(compareTargets),
    usedAt: usedAt.toISOString(),
  }));
}

/**
 * Deletes a problem that the account has uploaded. Evaluations that have ended keep their results.
 * @throws KernelBotError `not_found`; `conflict` while evaluations for it are queued or running.
 */
export function deleteUpload(database: Database, identity: Identity, reference: string): Promise<void> {
  return runTransaction(database.db, async (transaction) => {
    // No evaluation is created meanwhile.
    await lockEvaluations(transaction, identity.account.id);
    const version = uploadedVersion(reference);
    const [upload] = version === null ? [] : await listUploads(transaction, identity, version);
    if (version === null || upload === undefined) throw noUpload(reference);
    if (upload.openEvaluations > 0) {
      const open = formatCount(upload.openEvaluations, "evaluation");
      throw new KernelBotError(
        "conflict",
        `problem ${quote(reference)} has ${open} queued or running: cancel them, or wait for their results`,
      );
    }
    await transaction
      .deleteFrom("uploaded_problem")
      .where("account_id", "=", identity.account.id)
      .where("version", "=", version)
      .execute();
    await deleteUnusedVersions(transaction, [version]);
    await audit(transaction, identity, "delete", `problem ${reference}`, { name: upload.name });
  });
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
    if ((await touchUploads(transaction, identity.account.id, [version])).length > 0) return;
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

/** Records that the account uses these problems now. @returns those that it has uploaded. */
export async function touchUploads(
  transaction: Transaction<Tables>,
  accountId: string,
  versions: readonly string[],
): Promise<string[]> {
  if (versions.length === 0) return [];
  const own = sql`account_id = ${accountId} and version = any(${[...versions]}::text[])`;
  // To the hour, so that thousands of evaluations do not each write the row. The row lock keeps old problems from being
  // deleted by the background job, or waits until they are.
  await sql`
    update uploaded_problem set used_at = clock_timestamp()
    where ${own} and used_at < clock_timestamp() - interval '1 hour'`.execute(transaction);
  const { rows } = await sql<{ version: string }>`select version from uploaded_problem where ${own}`.execute(
    transaction,
  );
  return rows.map(({ version }) => version);
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
    `problem ${quote(reference)} not found: this account has not uploaded it, or it was deleted, as after a time without use; upload it again`,
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
    await deleteUnusedVersions(
      transaction,
      rows.map(({ version }) => version),
    );
    return rows.length;
  });
}

/** Deletes those of the problem versions that nothing refers to. */
export async function deleteUnusedVersions(
  transaction: Transaction<Tables>,
  versions: readonly string[],
): Promise<void> {
  await sql`
    delete from problem_version v where hash = any(${[...versions]}::text[])
      and not exists (select from uploaded_problem u where u.version = v.hash)
      and not exists (select from submission s where s.problem_version = v.hash)
      and not exists (select from problem p where p.version = v.hash)
      and not exists (select from problem_change c where c.version = v.hash)
      and not exists (select from board_revision r where r.problem_version = v.hash)
      and not exists (select from kernelbench_suite_problem k where k.problem_version = v.hash)`.execute(transaction);
}
