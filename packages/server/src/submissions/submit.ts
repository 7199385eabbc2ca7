/**
 * Accepts submissions: validates a request, commits it with its queued runs in a batch, and returns the new submission.
 */
import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import {
  KernelBotError,
  languageFor,
  quote,
  submittedFile,
  compareTargets,
  type Allowance,
  type Submission,
  type SubmitRequest,
} from "@kernelbot/core";
import { requireScope, type Identity } from "../auth/identity.ts";
import { asyncCommit, commitDurably } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import { perDatabase } from "../db/per-database.ts";
import { dispositionOf } from "../db/retry.ts";
import { recordMilestone } from "../observe/milestones.ts";
import { traceparentOf, withSpan } from "../observe/trace.ts";
import { readProblemVersion } from "../problems/problems.ts";
import { readAvailabilities } from "../queue/availability.ts";
import { allowanceAfter, readAllowances, toAllowance, type AllowanceRow } from "./allowances.ts";
import { declaration, findBoardTerms, type Declaration } from "./declaration.ts";
import { requireOpenGate } from "./gate.ts";
import { createdSubmission, type LateEntry, type NewSubmission, type StoredSubmission } from "./new-submission.ts";
import { refusalError, unknownBoardError } from "./refusal.ts";
import { checkKey, checkProblemMode, checkRival } from "./request-checks.ts";
import { checkFileName, checkSource } from "./source.ts";
import { readSubmission } from "./views.ts";

export interface SubmitOptions {
  /** Key chosen by the client. Repeating a request with the same key returns the first submission. */
  idempotencyKey?: string | undefined;
  /** Key chosen by the server, used if `idempotencyKey` is not set. It cannot collide with a client's key. */
  ownKey?: string | undefined;
  /** The organiser who enters the submission for `identity` after the deadline; `enterLate` checks that they may. */
  lateEntry?: { by: Submission["account"]; reason: string } | undefined;
}

export interface Submitted {
  submission: Submission;
  /** False if the same request was accepted before. */
  created: boolean;
  /** Limits of the board in the submission's mode, with the usage after this submission. */
  allowances: readonly Allowance[];
}

/**
 * Accepts a submission. It is committed when the promise resolves. Queue positions are not computed; read the
 * submission for them.
 * @throws KernelBotError with one sentence for the participant; nothing is stored then.
 */
export function submit(
  database: Database,
  identity: Identity,
  request: SubmitRequest,
  options: SubmitOptions = {},
): Promise<Submitted> {
  const attributes = { "kernelbot.board": request.board, "kernelbot.mode": request.mode };
  return withSpan("submit", { attributes }, (span) =>
    validateAndAccept(database, identity, request, options, traceparentOf(span)),
  );
}

async function validateAndAccept(
  database: Database,
  identity: Identity,
  submitted: SubmitRequest,
  options: SubmitOptions,
  traceparent: string | null,
): Promise<Submitted> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  checkFileName(submitted.fileName);
  checkSource(submitted.source);
  const request = submittedFile(submitted);
  checkSource(request.source);
  checkRival(request);
  const terms = await findBoardTerms(database, identity, request.board);
  const found = terms && (await readProblemVersion(database, terms.version));
  if (terms === null || found === null) throw await unknownBoardError(database, identity, request.board);
  checkProblemMode(found.spec, request.mode);
  for (const { fileName } of [request, ...(request.rival ? [request.rival] : [])]) {
    languageFor(found.spec, fileName, request.targets);
  }
  const { idempotencyKey, ownKey = randomUUID(), lateEntry } = options;
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const declared = declaration(request, terms);
  // A server-side key makes it safe to repeat an insert whose result was lost. The leading space keeps it apart from
  // clients' keys, which contain no spaces.
  const late = lateEntry === undefined ? null : { by: lateEntry.by.id, reason: lateEntry.reason };
  const item = { ...toNewSubmission(identity, request, declared, idempotencyKey ?? ` ${ownKey}`, late), traceparent };
  const acceptance = await acceptSubmission(database, item);
  switch (acceptance.outcome) {
    case "created": {
      const [problem, availabilities] = await Promise.all([
        readProblemVersion(database, acceptance.version),
        readAvailabilities(database),
      ]);
      const { submissionId, runIds } = acceptance;
      const { board, mode } = request;
      recordMilestone({ type: "accepted", submissionId, runIds, board, mode, accountId: identity.account.id });
      const legacyHarness = problem?.spec.harness === "legacy";
      const submission = createdSubmission(
        identity.account,
        lateEntry?.by ?? null,
        item,
        acceptance,
        legacyHarness,
        availabilities,
      );
      return { submission, created: true, allowances: acceptance.allowances };
    }
    case "repeated": {
      const submission = await readSubmission(database, acceptance.submissionId);
      if (submission === null)
        throw new KernelBotError("internal", `submission ${acceptance.submissionId} is missing from the database`);
      const allowances = await readAllowances(database, item.accountId, item.board, [item.mode]);
      return { submission, created: false, allowances };
    }
    case "conflict":
      throw new KernelBotError(
        "conflict",
        `the idempotency key ${quote(idempotencyKey ?? "")} was already used for a different request: submission ${acceptance.submissionId}`,
      );
    case "refused":
      throw await refusalError(database, item);
  }
}

function toNewSubmission(
  identity: Identity,
  request: SubmitRequest,
  declared: Declaration,
  idempotencyKey: string,
  lateEntry: LateEntry | null,
): Omit<NewSubmission, "traceparent"> {
  const { board, mode, fileName, source, rival, author, model, licence, anonymous, session } = request;
  const targets = [...new Set(request.targets)].toSorted(compareTargets);
  const sourceHash = sha256(source);
  const rivalHash = rival === undefined ? null : sha256(rival.source);
  // In the order of characters, as in the hashes of earlier requests.
  const fields = [
    board,
    targets.toSorted(),
    mode,
    fileName,
    sourceHash,
    author,
    model,
    licence,
    rival?.fileName,
    rivalHash,
  ];
  if (anonymous !== undefined) fields.push(String(anonymous));
  if (session !== undefined) fields.push(`session ${session}`);
  if (lateEntry !== null) fields.push(`entered by ${lateEntry.by}`);
  const requestHash = sha256(JSON.stringify(fields));
  return {
    accountId: identity.account.id,
    board,
    targets,
    mode,
    fileName,
    source,
    sourceHash,
    rivalName: rival?.fileName ?? null,
    rivalSource: rival?.source ?? null,
    rivalHash,
    idempotencyKey,
    requestHash,
    lateEntry,
    ...declared,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Outcome of one item in `accept_submissions`; see schema/functions/accept_submissions.sql. */
export type Acceptance =
  | ({ outcome: "created"; allowances: Allowance[] } & StoredSubmission)
  | { outcome: "repeated" | "conflict"; submissionId: number }
  | { outcome: "refused" };

/** Bounds of one batch. They limit how long a submission waits for the others and the size of the statement. */
const MAX_ITEMS = 64;
const MAX_SOURCE_CHARACTERS = 4_000_000;

/** A submission that waits for its batch, with the promise of its caller. */
interface BatchItem {
  item: NewSubmission;
  resolve: (acceptance: Acceptance) => void;
  reject: (error: unknown) => void;
}

/**
 * Accepts a validated submission; resolves once it is committed or refused. Submissions that arrive during a commit
 * share the next commit. Committing them one by one would be slow, because each commit flushes to disk and all
 * submissions of an account lock its row in the fair queue.
 */
export function acceptSubmission(database: Database, item: NewSubmission): Promise<Acceptance> {
  return batcherOf(database)(item);
}

const batcherOf = perDatabase((database): ((item: NewSubmission) => Promise<Acceptance>) => {
  const queue: BatchItem[] = [];
  let busy = false;

  async function drain(): Promise<void> {
    busy = true;
    while (queue.length > 0) await commitBatch(database, takeBatch(queue));
    busy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!busy) void drain();
    });
});

function takeBatch(queue: BatchItem[]): BatchItem[] {
  let characters = 0;
  let count = 0;
  for (const { item } of queue) {
    characters += item.source.length + (item.rivalSource?.length ?? 0);
    if (count > 0 && (count === MAX_ITEMS || characters > MAX_SOURCE_CHARACTERS)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Stores a batch and settles the promise of each of its items. Never rejects itself. */
async function commitBatch(database: Database, batch: readonly BatchItem[]): Promise<void> {
  // Ordered by account, so that servers that commit at the same time lock the same rows in the same order. Submissions of
  // one account stay in the order in which they arrived.
  const ordered = batch.toSorted(
    ({ item: { accountId: a } }, { item: { accountId: b } }) => Number(a > b) - Number(a < b),
  );
  try {
    const acceptances = await storeBatch(database, ordered);
    ordered.forEach(({ resolve }, index) => resolve(acceptances[index] as Acceptance));
  } catch (error) {
    if (batch.length === 1 || dispositionOf(error) !== "fault") {
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    // An item that cannot be stored must not fail the other items.
    for (const item of batch) await commitBatch(database, [item]);
  }
}

interface Created {
  item: number;
  submission_id: number;
  version: string;
  at: Date;
  run_ids: number[];
  /** Usage before this item; null if no limit applies. */
  allowances: AllowanceRow[] | null;
}

/** Stores a batch in one statement; returns the outcome of each item. */
async function storeBatch(database: Database, batch: readonly BatchItem[]): Promise<Acceptance[]> {
  const items = jsonText(batch.map(({ item }) => item));
  // The traces are stored in the same statement. The foreign key to the submission is checked when the statement ends.
  const accepted = sql<Created>`
    with accepted as materialized (
      select item, submission_id, version, at, run_ids, allowances from accept_submissions(${items}::text::json)
    ), traced as (
      insert into submission_trace (submission_id, traceparent)
      select submission_id, traceparent from accepted
      join json_to_recordset(${traceparents(batch)}::text::json) as t (n integer, traceparent text) on t.n = item
    )
    select accepted.*, ${asyncCommit()} as commits from accepted
  `;
  // Flush to disk even if every item is repeated: the original may have been committed just before, without a flush.
  const { rows } = await commitDurably(
    database.db,
    (connection) => accepted.execute(connection),
    () => true,
  );
  const created = new Map(rows.map((row) => [row.item - 1, row]));
  return Promise.all(
    batch.map(async ({ item }, index): Promise<Acceptance> => {
      const row = created.get(index);
      if (row === undefined) return explainNotCreated(database, item);
      const { submission_id: submissionId, version, at, run_ids: runIds } = row;
      const allowances = (row.allowances ?? []).map((each) => allowanceAfter(toAllowance(item, each), item));
      return { outcome: "created", submissionId, version, at, runIds, allowances };
    }),
  );
}

/** Returns the trace contexts of the items that have one as JSON, each with the 1-based position of its item. */
function traceparents(batch: readonly BatchItem[]): string {
  const all = batch.map(({ item: { traceparent } }, index) => ({ n: index + 1, traceparent }));
  return JSON.stringify(all.filter(({ traceparent }) => traceparent !== null));
}

/** Returns why an item was not created: its idempotency key was used before, or the board refused it. */
async function explainNotCreated({ db }: Database, item: NewSubmission): Promise<Acceptance> {
  const row = await db
    .selectFrom("submission")
    .select(["id", "request_hash"])
    .where("account_id", "=", item.accountId)
    .where("idempotency_key", "=", item.idempotencyKey)
    .executeTakeFirst();
  if (row === undefined) return { outcome: "refused" };
  const isSame = row.request_hash.toString("hex") === item.requestHash;
  return { outcome: isSame ? "repeated" : "conflict", submissionId: row.id };
}
