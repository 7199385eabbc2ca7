/**
 * Receipts. Only the signature is stored. The document is built from the rows of the run, which do not change after the
 * run has ended, so it is always the same, and a manipulated row invalidates the signature.
 */
import { sql, type Kysely, type Transaction } from "kysely";
import {
  isEfficiency,
  RECEIPT_SCHEMA,
  rankingOf,
  receiptBytes,
  weightsFor,
  type Machine,
  type ProblemSpec,
  type Receipt,
  type SignedReceipt,
} from "@kernelbot/core";
import { canSeeSubmission, visibilityKeyOf, type Viewer } from "../auth/visibility.ts";
import { SHOWN_AS } from "../competitions/pseudonyms.ts";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { Signer } from "./signer.ts";
import { boundsOfCases } from "./scoring.ts";
import { scoreOf } from "./summary.ts";

/** Signs the receipt of a ranked run with a score, in the transaction that ends the run. */
export async function signReceipt(transaction: Transaction<Tables>, runId: number, signer: Signer): Promise<void> {
  const facts = await factsOf(transaction, runId);
  if (facts === null) return;
  const { kid } = signer.publicKey;
  const signature = signer.sign(receiptBytes(receiptOf(facts, kid, facts.shownAs ?? facts.accountName)));
  await transaction
    .insertInto("receipt")
    .values({ run_id: runId, account_name: facts.shownAs ?? facts.accountName, key_id: kid, signature })
    // A run that was ranked before has the same score and so the same signed document.
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .execute();
}

/**
 * Returns the receipt of a run, or null if it has none that the viewer may see. Includes the seed once the board is
 * closed.
 */
export async function readReceipt(database: Database, viewer: Viewer, runId: number): Promise<SignedReceipt | null> {
  const { db } = database;
  const signed = await db.selectFrom("receipt").selectAll().where("run_id", "=", runId).executeTakeFirst();
  const facts = signed === undefined ? null : await factsOf(db, runId);
  if (signed === undefined || facts === null) return null;
  if (!(await canSeeSubmission(database, visibilityKeyOf(viewer), facts.submissionId))) return null;
  return {
    receipt: receiptOf(facts, signed.key_id, signed.account_name),
    signature: signed.signature.toString("hex"),
    seed: facts.openedSeed,
  };
}

interface Facts extends Omit<Receipt, "schema" | "keyId" | "account"> {
  accountId: string;
  /** The account's current name. The receipt has the name at the time of signing. */
  accountName: string;
  /** Pseudonym on the boards; null if they show the account. */
  shownAs: string | null;
  openedSeed: string | null;
}

function receiptOf(
  { accountId, accountName: _, openedSeed: __, shownAs, ...facts }: Facts,
  keyId: string,
  name: string,
): Receipt {
  return { schema: RECEIPT_SCHEMA, keyId, account: { id: name === shownAs ? name : accountId, name }, ...facts };
}

/**
 * Reads the facts of a receipt; null if the run has no score, or was claimed before seed commitments were introduced.
 */
async function factsOf(db: Kysely<Tables>, runId: number): Promise<Facts | null> {
  const run = await db
    .selectFrom("run")
    .innerJoin("submission", "submission.id", "run.submission_id")
    .innerJoin("account", "account.id", "run.account_id")
    .innerJoin("problem_window", "problem_window.problem", "submission.problem")
    .innerJoin("problem_version", "problem_version.hash", "run.problem_version")
    .innerJoin("machine", "machine.hash", "run.machine_hash")
    .innerJoin("code", "code.hash", "submission.code_hash")
    .selectAll("run")
    .select(["account.name", "problem_window.problem", "submission.file_name", "submission.code_hash"])
    .select(SHOWN_AS.as("shown_as"))
    .select(["submission.created_at as submitted_at", "problem_version.spec", "machine.description as machine"])
    .select(sql<number>`coalesce(code.deleted_bytes, octet_length(convert_to(code.source, 'UTF8')))`.as("size_bytes"))
    .select(
      sql<string | null>`case when problem_window.closes_at <= now()
        then encode(run_seed(submission.problem, run.id, run.attempt), 'hex') end`.as("opened_seed"),
    )
    .where("run.id", "=", runId)
    .where("submission.removed_at", "is", null)
    .executeTakeFirst();
  if (run?.seed_commitment == null || run.started_at === null || run.finished_at === null) return null;
  const score = scoreOf(run);
  if (score === null) return null;
  const weights = weightsFor(run.spec, run.target);
  const ranking = rankingOf(run.spec, run.target);
  const { cases, bounds } = await rankedCases(db, run);
  const { hostname: _, ...machine } = run.machine;
  return {
    submissionId: run.submission_id,
    runId,
    attempt: run.attempt,
    accountId: run.account_id,
    accountName: run.name,
    shownAs: run.shown_as,
    board: run.problem,
    target: run.target,
    fileName: run.file_name,
    source: { sha256: run.code_hash.toString("hex"), sizeBytes: run.size_bytes },
    problemVersion: run.problem_version,
    machine,
    submittedAt: run.submitted_at.toISOString(),
    startedAt: run.started_at.toISOString(),
    finishedAt: run.finished_at.toISOString(),
    unsandboxed: run.unsandboxed,
    legacyHarness: run.spec.harness === "legacy",
    rankingBy: run.spec.rankingBy,
    ranking,
    ...(weights !== undefined && { weights }),
    stop: run.spec.stop,
    regime: run.spec.regime,
    ...(isEfficiency(ranking) && { boundsNs: bounds }),
    cases,
    score,
    seedCommitment: run.seed_commitment.toString("hex"),
    openedSeed: run.opened_seed,
  };
}

/** Returns the cases that make up the score of a run, and their known speed-of-light bounds, in nanoseconds. */
async function rankedCases(
  db: Kysely<Tables>,
  run: { id: number; attempt: number; spec: ProblemSpec; machine: Machine; target: string },
): Promise<{ cases: Receipt["cases"]; bounds: number[] }> {
  const rows = await db
    .selectFrom("case_result")
    .select(["index", "parameters", "bytes", "operations", "output_bytes", "rounds", "summary"])
    .where("run_id", "=", run.id)
    .where("attempt", "=", run.attempt)
    .where("stage", "=", "ranked")
    // A problem's own harness may skip cases, which do not count.
    .where("status", "=", "passed")
    .orderBy("index")
    .execute();
  return {
    cases: rows.map(({ index: _, parameters, output_bytes: outputBytes, ...row }) => ({
      ...row,
      case: parameters,
      outputBytes,
    })),
    bounds: boundsOfCases(rows, run.spec, run.machine, run.target).flatMap((bound) => bound?.ns ?? []),
  };
}
