/** Whether submissions are taken at all. */
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { perDatabase } from "../db/per-database.ts";
import { retrying } from "../db/retry.ts";
import { audit } from "../people/audit.ts";

/** How long an answer is remembered: what is submitted this long after the gate was shut may still get in; ms. */
const REMEMBER_MS = 500;

/** Opens or shuts the gate. Runs that were accepted before go on. @throws KernelBotError `forbidden` but for administrators. */
export async function setGate(database: Database, identity: Identity, accepts: boolean): Promise<void> {
  requireRole(identity, "administrator");
  await retrying(() =>
    database.db.transaction().execute(async (transaction) => {
      await transaction.updateTable("intake_gate").set({ accepts }).execute();
      await audit(transaction, identity, accepts ? "open" : "shut", "intake");
    }),
  );
  remembered(database).known = undefined;
}

/** @throws KernelBotError `unavailable` while the gate is shut. */
export async function requireOpenGate(database: Database): Promise<void> {
  const memory = remembered(database);
  if (memory.known === undefined || memory.known.until < performance.now()) {
    memory.known = { accepts: readGate(database), until: performance.now() + REMEMBER_MS };
    memory.known.accepts.catch(() => (memory.known = undefined));
  }
  if (await memory.known.accepts) return;
  throw new KernelBotError("unavailable", "no submissions are taken at the moment; what was accepted before goes on");
}

async function readGate({ db }: Database): Promise<boolean> {
  const gate = await retrying(() => db.selectFrom("intake_gate").select("accepts").executeTakeFirstOrThrow());
  return gate.accepts;
}

interface Memory {
  known: { accepts: Promise<boolean>; until: number } | undefined;
}

const remembered = perDatabase((): Memory => ({ known: undefined }));
