/** The switch with which administrators stop and resume accepting submissions. */
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { perDatabase } from "../db/per-database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";

/**
 * How long the state is cached, in milliseconds. Submissions may still be accepted for this long after the gate is
 * closed on another server.
 */
const REMEMBER_MS = 500;

/**
 * Opens or closes the gate. Runs that are already accepted continue.
 * @throws KernelBotError `forbidden` if the caller is not an administrator.
 */
export async function setGate(database: Database, identity: Identity, accepts: boolean): Promise<void> {
  requireRole(identity, "administrator");
  await runTransaction(idempotent(database.db), async (transaction) => {
    await transaction.updateTable("intake_gate").set({ accepts }).execute();
    await audit(transaction, identity, accepts ? "open" : "shut", "intake");
  });
  gateCache(database).known = undefined;
}

/**
 * Resolves if submissions are accepted.
 * @throws KernelBotError `unavailable` while the gate is closed.
 */
export async function requireOpenGate(database: Database): Promise<void> {
  if (await isGateOpen(database)) return;
  throw new KernelBotError(
    "unavailable",
    "submissions are closed on this server; accepted submissions are still judged",
  );
}

/** Returns whether submissions are accepted. */
export function isGateOpen(database: Database): Promise<boolean> {
  const memory = gateCache(database);
  if (memory.known === undefined || memory.known.until < performance.now()) {
    memory.known = { accepts: readGate(database), until: performance.now() + REMEMBER_MS };
    memory.known.accepts.catch(() => (memory.known = undefined));
  }
  return memory.known.accepts;
}

async function readGate({ db }: Database): Promise<boolean> {
  const gate = await db.selectFrom("intake_gate").select("accepts").executeTakeFirstOrThrow();
  return gate.accepts;
}

interface Memory {
  known: { accepts: Promise<boolean>; until: number } | undefined;
}

const gateCache = perDatabase((): Memory => ({ known: undefined }));
