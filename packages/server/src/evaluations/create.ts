/**
 * Creates evaluations: validates the requests, and commits them with the submissions and queued runs that judge them.
 * Evaluations of the same code share a run.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  canonicalJson,
  EVALUATION_PRIORITIES,
  EXTENSIONS,
  KernelBotError,
  languageFor,
  parseSource,
  quote,
  uploadedProblem,
  uploadedVersion,
  sortedTargets,
  type EvaluationRequest,
} from "@kernelbot/core";
import { sql, type Transaction } from "kysely";
import { requireScope, type Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { requireOpenGate } from "../submissions/gate.ts";
import { byteaText, type NewSubmission } from "../submissions/new-submission.ts";
import { refusalError } from "../submissions/refusal.ts";
import { checkKey, checkProblemMode } from "../submissions/request-checks.ts";
import { findShared, type ResultKey } from "./cached.ts";
import { readEvaluable, type Evaluable } from "./evaluable.ts";
import { requireCapacity, type EvaluationLimits } from "./limits.ts";
import { lockEvaluations } from "./lock-account.ts";
import { useBudgets } from "./sessions/budget.ts";
import { noUpload, touchUploads } from "./uploaded-problems.ts";

interface CreateOptions {
  /** Key chosen by the client. Repeating a request with the same key returns the first evaluations. */
  idempotencyKey?: string | undefined;
  limits: EvaluationLimits;
}

export interface CreatedEvaluations {
  /** Null for a single evaluation. */
  batch: number | null;
  /** In the order of the requests. */
  ids: number[];
}

/**
 * Creates one evaluation. It is committed when the promise resolves.
 * @throws KernelBotError `not_found`, `forbidden`, `unprocessable`, `too_large`, `conflict`, `too_many_requests` or
 * `unavailable`; nothing is stored then.
 */
export async function createEvaluation(
  database: Database,
  identity: Identity,
  request: EvaluationRequest,
  options: CreateOptions,
): Promise<number> {
  const { ids } = await create(database, identity, [request], { ...options, isBatch: false });
  return ids[0] as number;
}

/** Creates a batch, all of it or nothing. @throws the errors of `createEvaluation`, which name the evaluation. */
export function createBatch(
  database: Database,
  identity: Identity,
  requests: readonly EvaluationRequest[],
  options: CreateOptions,
): Promise<CreatedEvaluations> {
  return create(database, identity, requests, { ...options, isBatch: true });
}

/** A validated request. */
interface Item {
  request: EvaluationRequest;
  key: ResultKey;
}

async function create(
  database: Database,
  identity: Identity,
  requests: readonly EvaluationRequest[],
  { idempotencyKey, limits, isBatch }: CreateOptions & { isBatch: boolean },
): Promise<CreatedEvaluations> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const names = [...new Set(requests.map(({ problem }) => problem))];
  const problems = new Map(
    await Promise.all(names.map(async (name) => [name, await readEvaluable(database, identity, name)] as const)),
  );
  const items = requests.map((request, index) =>
    inBatch(isBatch, index, () => toItem(request, problems.get(request.problem) as Evaluable)),
  );
  const requestHash = createHash("sha256").update(canonicalJson(requests)).digest();
  // The server's own key makes it safe to repeat a transaction whose result was lost. No client's key contains a space.
  const key = idempotencyKey ?? ` ${randomUUID()}`;
  return runTransaction(idempotent(database.db), async (transaction) => {
    await lockEvaluations(transaction, identity.account.id);
    const earlier = await findEarlier(transaction, identity.account.id, key, isBatch);
    if (earlier !== null) {
      if (earlier.requestHash.equals(requestHash)) return earlier;
      throw new KernelBotError(
        "conflict",
        `the idempotency key ${quote(key)} was already used for a different request: ${isBatch ? `batch ${earlier.batch}` : `evaluation ${earlier.ids[0]}`}`,
      );
    }
    await requireCapacity(transaction, identity, items.length, limits);
    const uploads = names.flatMap((name) => uploadedVersion(name) ?? []);
    const own = await touchUploads(transaction, identity.account.id, uploads);
    // Deleted since the request was checked.
    const deleted = uploads.find((version) => !own.includes(version));
    if (deleted !== undefined) throw noUpload(uploadedProblem(deleted));
    const submissions = await storeMissing(database, transaction, identity, items);
    await useBudgets(transaction, identity, requests);
    const batch = isBatch ? await insertBatch(transaction, identity, key, requestHash, items.length) : null;
    const ids = await insertEvaluations(transaction, identity, items, submissions, { batch, key, requestHash });
    return { batch, ids };
  });
}

function toItem(request: EvaluationRequest, { problem, version }: Evaluable): Item {
  const { target, language, level, priority } = request;
  const code = parseSource(request.code);
  const fileName = `submission${EXTENSIONS[language][0]}`;
  if (!Object.hasOwn(problem.spec.targets, target)) {
    throw new KernelBotError(
      "unprocessable",
      `the problem ${request.problem} has no target ${quote(target)}; it has ${sortedTargets(problem.spec).join(", ")}`,
    );
  }
  languageFor(problem.spec, fileName, [target]);
  if (level === "application") checkProblemMode(problem.spec, level);
  const hash = createHash("sha256").update(code).digest("hex");
  return {
    request: { ...request, code },
    key: {
      ...{ hash, fileName, problem: request.problem, version, target, mode: level },
      priority: 1 + EVALUATION_PRIORITIES.indexOf(priority),
    },
  };
}

/** Calls `work`, whose error names the evaluation of the batch. */
function inBatch<T>(isBatch: boolean, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isBatch || !(error instanceof KernelBotError)) throw error;
    throw new KernelBotError(error.code, `evaluations[${index}]: ${error.message}`, { cause: error });
  }
}

type Earlier = CreatedEvaluations & { requestHash: Buffer };

async function findEarlier(
  transaction: Transaction<Tables>,
  accountId: string,
  key: string,
  isBatch: boolean,
): Promise<Earlier | null> {
  const row = await transaction
    .selectFrom(isBatch ? "evaluation_batch" : "evaluation")
    .select(["id", "request_hash"])
    .where("account_id", "=", accountId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (!isBatch) return { batch: null, ids: [row.id], requestHash: row.request_hash };
  const members = await transaction
    .selectFrom("evaluation")
    .select("id")
    .where("batch_id", "=", row.id)
    .orderBy("id")
    .execute();
  return { batch: row.id, ids: members.map(({ id }) => id), requestHash: row.request_hash };
}

/** Stores submissions for the items that can share none, and returns the submission of each item. */
async function storeMissing(
  database: Database,
  transaction: Transaction<Tables>,
  identity: Identity,
  items: readonly Item[],
): Promise<number[]> {
  // Items of one request with the same key share a run too.
  const requested = new Map<string, Item>();
  const keyOf = items.map(({ request, key }, index) => (request.fresh ? `fresh ${index}` : canonicalJson(key)));
  keyOf.forEach((key, index) => requested.set(key, requested.get(key) ?? (items[index] as Item)));
  const entries = [...requested];
  const reusable = entries.filter(([, { request }]) => !request.fresh);
  const found = await findShared(
    transaction,
    identity.account.id,
    reusable.map(([, { key }]) => key),
  );
  const submissions = new Map(
    reusable.flatMap(([key], index) => {
      const id = found.get(index);
      return id === undefined ? [] : [[key, id] as const];
    }),
  );
  const missing = entries.filter(([key]) => !submissions.has(key));
  const stored = await storeSubmissions(
    transaction,
    missing.map(([, item]) => toNewSubmission(identity, item)),
  );
  for (const [index, [key, item]] of missing.entries()) {
    const id = stored.get(index);
    if (id === undefined) {
      const { problem: board, target } = item.request;
      throw await refusalError(database, {
        account_id: identity.account.id,
        problem: board,
        mode: "test",
        targets: [target],
      });
    }
    submissions.set(key, id);
  }
  return keyOf.map((key) => submissions.get(key) as number);
}

function toNewSubmission({ account }: Identity, { request, key }: Item): NewSubmission {
  const uploaded = uploadedVersion(request.problem);
  const hash = byteaText(key.hash);
  return {
    ...{ account_id: account.id, problem: uploaded === null ? request.problem : null, uploaded_version: uploaded },
    ...{ targets: [request.target], mode: key.mode, priority: key.priority, author_kind: "undeclared" },
    ...{ file_name: key.fileName, source: request.code, code_hash: hash, request_hash: hash },
    idempotency_key: ` evaluation/${randomUUID()}`,
  };
}

/** Returns the ids of the stored submissions by the index of the item; refused items have none. */
async function storeSubmissions(
  transaction: Transaction<Tables>,
  items: readonly NewSubmission[],
): Promise<Map<number, number>> {
  if (items.length === 0) return new Map();
  const { rows } = await sql<{ item: number; submission_id: number }>`
    select item, submission_id from store_submissions(${jsonText(items)}::text::json)`.execute(transaction);
  return new Map(rows.map((row) => [row.item - 1, row.submission_id]));
}

async function insertBatch(
  transaction: Transaction<Tables>,
  { account }: Identity,
  key: string,
  requestHash: Buffer,
  size: number,
): Promise<number> {
  const { id } = await transaction
    .insertInto("evaluation_batch")
    .values({ account_id: account.id, idempotency_key: key, request_hash: requestHash, size })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function insertEvaluations(
  transaction: Transaction<Tables>,
  { account }: Identity,
  items: readonly Item[],
  submissions: readonly number[],
  { batch, key, requestHash }: { batch: number | null; key: string; requestHash: Buffer },
): Promise<number[]> {
  const first = new Set<number>();
  const rows = items.map(({ request, key: { priority } }, n) => {
    const submission = submissions[n] as number;
    // Several items of this request may share a new submission; the first one has caused it.
    const isRepeated = first.has(submission);
    first.add(submission);
    const { level, rule, tags, deadlineSeconds = null, session = null } = request;
    return { n, submission, level, rule, tags, priority, deadline: deadlineSeconds, session, isRepeated };
  });
  const { rows: inserted } = await sql<{ id: number }>`
    insert into evaluation (account_id, batch_id, session_id, submission_id, level, rule, priority, tags,
      cached, idempotency_key, request_hash, deadline_at, state, ended_at)
    select ${account.id}, ${batch}::bigint, i.session, i.submission, i.level, i.rule, i.priority,
      i.tags, i."isRepeated" or exists (select from evaluation e where e.submission_id = i.submission),
      ${batch === null ? key : null}::text, ${requestHash}::bytea, clock_timestamp() + i.deadline * interval '1 second',
      case r.state when 'done' then 'done' else 'open' end, case r.state when 'done' then clock_timestamp() end
    from json_to_recordset(${jsonText(rows)}::text::json) as i (n integer, submission bigint, level text, rule text,
      tags json, priority smallint, deadline integer, session bigint, "isRepeated" boolean)
    join run r on r.submission_id = i.submission
    order by i.n
    returning id`.execute(transaction);
  return inserted.map(({ id }) => id).toSorted((a, b) => a - b);
}
