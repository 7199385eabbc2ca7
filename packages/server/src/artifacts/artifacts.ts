/** Artifacts (files of runs): stored from the runner that holds the lease, and found by name. */
import type { Transaction } from "kysely";
import {
  KernelBotError,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACTS,
  quote,
  type Artifact,
  type RunArtifact,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { deleteIfUnneeded, lockContent } from "./retention.ts";
import type { ObjectStore } from "./store.ts";

export interface Upload extends Pick<Artifact, "name" | "mediaType"> {
  runId: number;
  attempt: number;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Stores an artifact of an attempt; a repeated upload replaces the previous one. The lease is checked before and after
 * the bytes are received.
 * @throws KernelBotError `stale_attempt` when another runner has claimed the run or it has ended; `too_large`;
 * `unprocessable` for more artifacts than an attempt may have. Rejected bytes are deleted.
 */
export async function putArtifact(
  database: Database,
  store: ObjectStore,
  identity: Identity,
  { runId, attempt, name, mediaType, bytes }: Upload,
): Promise<Artifact> {
  requireScope(identity, "runner");
  const { db } = database;
  await runTransaction(idempotent(db), (transaction) => requireLeasedAttempt(transaction, identity, runId, attempt));
  const { sha256, sizeBytes } = await store.put(bytes, MAX_ARTIFACT_BYTES);
  const hash = Buffer.from(sha256, "hex");
  const add = async (transaction: Transaction<Tables>): Promise<Buffer | undefined> => {
    await requireLeasedAttempt(transaction, identity, runId, attempt);
    const rows = await transaction
      .selectFrom("artifact")
      .select(["name", "hash"])
      .where("run_id", "=", runId)
      .where("attempt", "=", attempt)
      .execute();
    const replaced = rows.find((row) => row.name === name);
    if (replaced === undefined && rows.length >= MAX_ARTIFACTS) {
      throw new KernelBotError("unprocessable", `an attempt can have at most ${MAX_ARTIFACTS} artifacts`);
    }
    await lockContent(transaction, hash);
    if ((await store.size(sha256)) !== sizeBytes) {
      throw new KernelBotError(
        "unavailable",
        `${quote(name)} has the same content as a file that was just deleted; upload it again`,
      );
    }
    const content = { media_type: mediaType, size_bytes: sizeBytes, hash };
    await transaction
      .insertInto("artifact")
      .values({ run_id: runId, attempt, name, ...content })
      .onConflict((conflict) => conflict.columns(["run_id", "attempt", "name"]).doUpdateSet(content))
      .execute();
    return replaced?.hash;
  };
  let unneeded: Buffer | undefined = hash;
  try {
    unneeded = await runTransaction(idempotent(db), add);
  } finally {
    if (unneeded !== undefined) await deleteIfUnneeded(database, store, unneeded);
  }
  return { name, mediaType, sizeBytes, sha256 };
}

/**
 * Locks the run's row and checks the attempt. The lease may have expired, as long as no other runner has claimed the
 * run.
 */
async function requireLeasedAttempt(
  transaction: Transaction<Tables>,
  identity: Identity,
  runId: number,
  attempt: number,
): Promise<void> {
  const run = await transaction
    .selectFrom("run")
    .select(["state", "attempt", "token_id", "target"])
    .where("id", "=", runId)
    .forUpdate()
    .executeTakeFirst();
  if (run === undefined || !identity.targets.includes(run.target)) {
    throw new KernelBotError("not_found", `run ${runId} of this runner not found`);
  }
  const open = run.state === "running" || run.state === "queued";
  if (open && run.attempt === attempt && run.token_id === identity.tokenId) return;
  throw new KernelBotError("stale_attempt", `attempt ${attempt} of run ${runId} is no longer assigned to this runner`);
}

/** Returns the artifacts of an attempt, in the order of upload. */
export async function listArtifacts({ db }: Database, runId: number, attempt: number): Promise<RunArtifact[]> {
  const rows = await db
    .selectFrom("artifact")
    .select(["name", "media_type", "size_bytes", "hash", "deleted_at"])
    .where("run_id", "=", runId)
    .where("attempt", "=", attempt)
    .orderBy("created_at")
    .orderBy("name")
    .execute();
  return rows.map((row) => ({
    name: row.name,
    mediaType: row.media_type,
    sizeBytes: row.size_bytes,
    sha256: row.hash.toString("hex"),
    deletedAt: row.deleted_at?.toISOString() ?? null,
  }));
}

/**
 * Returns the submission of a run and an artifact of its latest attempt (null if missing); null when the run does not
 * exist.
 */
export async function findArtifact(
  database: Database,
  runId: number,
  name: string,
): Promise<{ submissionId: number; artifact: RunArtifact | null } | null> {
  const run = await database.db
    .selectFrom("run")
    .select(["submission_id", "attempt"])
    .where("id", "=", runId)
    .executeTakeFirst();
  if (run === undefined) return null;
  const artifacts = await listArtifacts(database, runId, run.attempt);
  return { submissionId: run.submission_id, artifact: artifacts.find((each) => each.name === name) ?? null };
}
