/**
 * Readiness checks, for proxies, Kubernetes and people. The results are public, so the cause of a failure is only
 * logged for the operator, once when it begins and once when it ends.
 */
import { KernelBotError } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import { readMigrations } from "../db/migrate.ts";
import { setResponsiveTimeout } from "../db/responsive-timer.ts";
import { codeOf, dispositionOf, READ_ONLY, TOO_MANY_CONNECTIONS } from "../db/retry.ts";

/** The checks. */
export type Part = "database" | "schema" | "store" | "serving";

export interface Readiness {
  ready: boolean;
  /** `ok`, or a description of the failure. */
  checks: Record<Part, string>;
}

export interface Health {
  /**
   * Returns the readiness. Results are cached for one second, those of the store for longer, because anyone may call
   * this.
   */
  readiness(): Promise<Readiness>;
}

const OK = "ok";
const REMEMBER_MS = 1000;
/** A check of the store writes an object, which some services charge for. */
const REMEMBER_STORE_MS = 15_000;
/** A check opens a new connection. */
const REMEMBER_ROOM_MS = 2000;
/** Timeout of a check, in milliseconds. */
const TIMEOUT_MS = 3000;

/** Opens the checks. @param stopping Aborted as soon as the server is asked to stop. */
export async function openHealth(database: Database, store: ObjectStore, stopping: AbortSignal): Promise<Health> {
  const newest = (await readMigrations()).at(-1)?.number ?? 0;
  let lastFaults = "";

  async function runCheck(run: () => Promise<string>, describe: (error: unknown) => string): Promise<CheckResult> {
    const slow = Promise.withResolvers<never>();
    const cancel = setResponsiveTimeout(() => slow.reject(new Error(`no answer in ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    try {
      return { status: await Promise.race([run(), slow.promise]), cause: "" };
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return { status: describe(error), cause };
    } finally {
      cancel();
    }
  }

  const schema = cached(REMEMBER_MS, () =>
    runCheck(async () => {
      const [row] = await database.sql<{ number: number }>`select max(number) as number from schema_migration`;
      return (row?.number ?? 0) > newest
        ? `the database is at migration ${row?.number} of a newer KernelBot, but this version supports ${newest}; run the newer version`
        : OK;
    }, describeDatabaseError),
  );
  const room = cached(REMEMBER_ROOM_MS, () =>
    runCheck(async () => {
      await database.check(TIMEOUT_MS);
      return OK;
    }, describeDatabaseError),
  );
  const written = cached(REMEMBER_STORE_MS, () =>
    runCheck(
      async () => {
        await store.check();
        return OK;
      },
      () => "the object store is not writable",
    ),
  );

  return {
    async readiness() {
      const [migrated, roomy, stored] = await Promise.all([schema(), room(), written()]);
      const { status, cause } = migrated.cause === "" ? roomy : migrated;
      const checks = {
        database: cause === "" ? OK : status,
        schema: migrated.cause === "" ? migrated.status : "unknown",
        store: stored.status,
        serving: stopping.aborted ? "the server is stopping" : OK,
      };
      const faults = [
        cause && `${status}: ${cause}`,
        migrated.cause === "" ? migrated.status : "",
        stored.cause && `${stored.status}: ${stored.cause}`,
      ]
        .filter((fault) => fault !== "" && fault !== OK)
        .join("; ");
      if (faults !== lastFaults) database.log(faults === "" ? "ready again" : `not ready: ${faults}`);
      lastFaults = faults;
      return { ready: Object.values(checks).every((status) => status === OK), checks };
    },
  };
}

function describeDatabaseError(error: unknown): string {
  const code = codeOf(error);
  if (code === "53100") return "the database has no disk space left";
  if (code === TOO_MANY_CONNECTIONS) return "the database has no free connections";
  if (code === READ_ONLY) return "the database is read-only";
  // A KernelBotError is thrown by this server after the watchdog found the database silent.
  const isAnswer = !(error instanceof KernelBotError) && dispositionOf(error) === "unavailable";
  return isAnswer ? "the database is unavailable" : "the database is not responding";
}

interface CheckResult {
  status: string;
  /** Cause for the operator's log; empty if there is none. */
  cause: string;
}

/** Caches the result of a check for `ms` milliseconds. */
function cached(ms: number, runCheck: () => Promise<CheckResult>): () => Promise<CheckResult> {
  let last: { at: number; finding: Promise<CheckResult> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) last = { at: performance.now(), finding: runCheck() };
    return last.finding;
  };
}
