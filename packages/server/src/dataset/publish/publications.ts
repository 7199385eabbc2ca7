/**
 * Publications: which snapshot is published where, and its progress. A destination shows only the newest snapshot; an older
 * one never replaces a newer one, because withdrawn submissions would reappear.
 *
 *     waiting (until the snapshot is ready and due) -> uploading -> done
 *                uploading -> waiting (a temporary error) -> uploading ...
 *                uploading -> failed (an administrator must act, or too many tries) -> waiting (requested again)
 */
import { sql, type Kysely, type NotNull, type Selectable } from "kysely";
import { KernelBotError, type Publication, type PublicationDestination, type SnapshotManifest } from "@kernelbot/core";
import type { Database } from "../../db/database.ts";
import { requireRole, type Identity } from "../../auth/identity.ts";
import { storableText } from "../../db/json.ts";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { audit } from "../../auth/audit.ts";

export type PublicationRow = Selectable<Tables["dataset_publication"]>;

/** Duration of a lease; the server that publishes renews it much more often. */
const HOLD_MS = 120_000;

/**
 * Requests the publication of a snapshot as soon as it is ready, or its retry after a failure.
 * @throws KernelBotError `forbidden` for callers other than administrators, because a destination shows all competitions;
 * `not_found`; `conflict` when the snapshot failed, its files are deleted, or a newer one is published there.
 */
export async function requestPublication(
  { db }: Database,
  identity: Identity,
  id: number,
  destination: PublicationDestination,
): Promise<Publication> {
  requireRole(identity, "administrator");
  return runTransaction(idempotent(db), async (transaction) => {
    const snapshot = await transaction
      .selectFrom("dataset_snapshot")
      .select(["state", "message", "files_deleted_at"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (snapshot === undefined) throw new KernelBotError("not_found", `snapshot ${id} does not exist`);
    if (snapshot.state === "failed") throw new KernelBotError("conflict", notMade(id, snapshot.message));
    if (snapshot.files_deleted_at !== null) {
      throw new KernelBotError("conflict", `the files of snapshot ${id} were deleted; publish the newest snapshot`);
    }
    const newer = await findNewer(transaction, id, destination);
    if (newer !== undefined) {
      throw new KernelBotError(
        "conflict",
        `the newer snapshot ${newer} is already published there; snapshot ${id} would replace it`,
      );
    }
    await storeRequest(transaction, id, destination, identity.account.id);
    await audit(transaction, identity, "publish", `snapshot ${id}`, { destination });
    return publicationOf(await rowOf(transaction, id, destination));
  });
}

/** Returns why a snapshot cannot be published; null if it can be, now or later. */
export async function faultOf({ db }: Database, id: number): Promise<string | null> {
  const row = await db
    .selectFrom("dataset_snapshot")
    .select(["state", "message"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.state === "failed" ? notMade(id, row.message) : null;
}

function notMade(id: number, why: string | null): string {
  return `snapshot ${id} failed: ${why ?? "unknown error"}; request another one`;
}

/** Stores the request to publish a snapshot; only a failed publication is reset, others stay unchanged. */
export async function storeRequest(
  db: Kysely<Tables>,
  id: number,
  destination: PublicationDestination,
  requestedBy: string | null,
): Promise<void> {
  await db
    .insertInto("dataset_publication")
    .values({ snapshot_id: id, destination, requested_by: requestedBy })
    .onConflict((conflict) =>
      conflict
        .columns(["snapshot_id", "destination"])
        .doUpdateSet({ state: "waiting", due_at: sql<Date>`clock_timestamp()`, tries: 0, message: null })
        .where("dataset_publication.state", "=", "failed"),
    )
    .execute();
}

/** Leases the newest due publication whose snapshot is ready; one at a time per destination across all servers. */
export async function claimPublication({ db }: Database, now: Date): Promise<PublicationRow | undefined> {
  return runTransaction(idempotent(db), async (transaction) => {
    const row = await transaction
      .selectFrom("dataset_publication")
      .selectAll()
      // The database has microseconds and JavaScript milliseconds; without truncation, a publication that is due now
      // would not be found until the next look.
      .where(sql<Date>`date_trunc('milliseconds', due_at)`, "<=", now)
      .where((where) => where.or([where("lease_until", "is", null), where("lease_until", "<=", now)]))
      .where("snapshot_id", "not in", (query) =>
        query.selectFrom("dataset_snapshot").select("id").where("state", "=", "building"),
      )
      .where(
        sql<boolean>`not exists (select from dataset_publication other
            where other.destination = dataset_publication.destination and other.lease_until > ${now})`,
      )
      .orderBy("snapshot_id", "desc")
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    // Serialises concurrent claims.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`publication ${row.destination}`}, 0))`.execute(
      transaction,
    );
    const other = await transaction
      .selectFrom("dataset_publication")
      .select("snapshot_id")
      .where("destination", "=", row.destination)
      .where("lease_until", ">", now)
      .executeTakeFirst();
    if (other !== undefined) return undefined;
    return transaction
      .updateTable("dataset_publication")
      .set({ state: "uploading", lease_until: new Date(now.getTime() + HOLD_MS) })
      .where("snapshot_id", "=", row.snapshot_id)
      .where("destination", "=", row.destination)
      .returningAll()
      .executeTakeFirst();
  });
}

/** Stores a change of a leased publication. */
export async function store(
  { db }: Database,
  { snapshot_id, destination }: Pick<PublicationRow, "snapshot_id" | "destination">,
  change: Partial<Omit<PublicationRow, "snapshot_id" | "destination">>,
): Promise<void> {
  const { message } = change;
  await idempotent(db)
    .updateTable("dataset_publication")
    .set({ ...change, ...(typeof message === "string" && { message: storableText(message).slice(0, 1000) }) })
    .where("snapshot_id", "=", snapshot_id)
    .where("destination", "=", destination)
    .execute();
}

/** Returns the change that renews the lease. */
export function leaseRenewal(now: Date): Pick<PublicationRow, "lease_until"> {
  return { lease_until: new Date(now.getTime() + HOLD_MS) };
}

/**
 * Returns a newer snapshot that is published to a destination, or will be. Unfinished snapshots are ignored: they
 * may fail, and replace the others once they are ready.
 */
export async function findNewer(
  db: Kysely<Tables>,
  id: number,
  destination: PublicationDestination,
): Promise<number | undefined> {
  const row = await db
    .selectFrom("dataset_publication")
    .innerJoin("dataset_snapshot", "dataset_snapshot.id", "dataset_publication.snapshot_id")
    .select("snapshot_id")
    .where("destination", "=", destination)
    .where("snapshot_id", ">", id)
    .where("dataset_publication.state", "!=", "failed")
    .where("dataset_snapshot.state", "=", "ready")
    .orderBy("snapshot_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.snapshot_id;
}

/** Returns the publications of earlier snapshots that are still at the destination. */
export async function listEarlier(
  { db }: Database,
  id: number,
  destination: PublicationDestination,
): Promise<{ url: string; manifest: SnapshotManifest | null }[]> {
  const rows = await db
    .selectFrom("dataset_publication")
    .innerJoin("dataset_snapshot", "dataset_snapshot.id", "dataset_publication.snapshot_id")
    .select(["url", "manifest"])
    .where("destination", "=", destination)
    .where("snapshot_id", "<", id)
    .where("url", "is not", null)
    .$narrowType<{ url: NotNull }>()
    .execute();
  return rows;
}

/** Clears the URLs of earlier snapshots, which are no longer valid. */
export async function clearEarlierUrls(
  { db }: Database,
  id: number,
  destination: PublicationDestination,
): Promise<void> {
  await db
    .updateTable("dataset_publication")
    .set({ url: null, message: `replaced by snapshot ${id}` })
    .where("destination", "=", destination)
    .where("snapshot_id", "<", id)
    .where("url", "is not", null)
    .execute();
}

function rowOf(db: Kysely<Tables>, id: number, destination: PublicationDestination): Promise<PublicationRow> {
  return db
    .selectFrom("dataset_publication")
    .selectAll()
    .where("snapshot_id", "=", id)
    .where("destination", "=", destination)
    .executeTakeFirstOrThrow();
}

function publicationOf(row: PublicationRow): Publication {
  return {
    destination: row.destination,
    state: row.state,
    filesDone: row.files_done,
    filesTotal: row.files_total,
    bytesDone: row.bytes_done,
    bytesTotal: row.bytes_total,
    url: row.url,
    message: row.message,
  };
}
