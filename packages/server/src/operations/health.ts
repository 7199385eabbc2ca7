/**
 * Readiness checks, for proxies, Kubernetes and people. The results are public, so the cause of a failure is only
 * logged for the operator, once when it begins and once when it ends.
 */
import { KernelBotError } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import { readMigrations } from "../db/migrate.ts";
import { codeOf, dispositionOf, TOO_MANY_CONNECTIONS } from "../db/retry.ts";

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
const PATIENCE_MS = 3000;

/** Opens the checks. @param stopping Aborted as soon as the server is asked to stop. */
export async function openHealth(database: Database, store: ObjectStore, stopping: AbortSignal): Promise<Health> {
  const newest = (await readMigrations()).at(-1)?.number ?? 0;
  let told = "";

  async function look(run: () => Promise<string>, sayOf: (error: unknown) => string): Promise<Finding> {
    const slow = Promise.withResolvers<never>();
    const timer = setTimeout(() => slow.reject(new Error(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS);
    try {
      return { said: await Promise.race([run(), slow.promise]), cause: "" };
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return { said: sayOf(error), cause };
    } finally {
      clearTimeout(timer);
    }
  }

  const schema = remembered(REMEMBER_MS, () =>
    look(async () => {
      const [row] = await database.sql<{ number: number }>`select max(number) as number from schema_migration`;
      return (row?.number ?? 0) > newest
        ? `the database was brought to migration ${row?.number} by a newer KernelBot, and this one knows ${newest}; run the newer one`
        : OK;
    }, sayOfDatabase),
  );
  const room = remembered(REMEMBER_ROOM_MS, () =>
    look(async () => {
      await database.check(PATIENCE_MS);
      return OK;
    }, sayOfDatabase),
  );
  const written = remembered(REMEMBER_STORE_MS, () =>
    look(
      async () => {
        await store.check();
        return OK;
      },
      () => "the object store cannot be written",
    ),
  );

  return {
    async readiness() {
      const [migrated, roomy, stored] = await Promise.all([schema(), room(), written()]);
      const { said, cause } = migrated.cause === "" ? roomy : migrated;
      const checks = {
        database: cause === "" ? OK : said,
        schema: migrated.cause === "" ? migrated.said : "unknown",
        store: stored.said,
        serving: stopping.aborted ? "the server is stopping" : OK,
      };
      const faults = [
        cause && `${said}: ${cause}`,
        migrated.cause === "" ? migrated.said : "",
        stored.cause && `${stored.said}: ${stored.cause}`,
      ]
        .filter((fault) => fault !== "" && fault !== OK)
        .join("; ");
      if (faults !== told) database.log(faults === "" ? "ready again" : `not ready: ${faults}`);
      told = faults;
      return { ready: Object.values(checks).every((said) => said === OK), checks };
    },
  };
}

function sayOfDatabase(error: unknown): string {
  const code = codeOf(error);
  if (code === "53100") return "the database has no disk space left";
  if (code === TOO_MANY_CONNECTIONS) return "the database takes no more connections";
  // A KernelBotError is thrown by this server after the watchdog found the database silent.
  const isAnswer = !(error instanceof KernelBotError) && dispositionOf(error) === "unavailable";
  return isAnswer ? "the database cannot do its work" : "the database does not answer";
}

interface Finding {
  said: string;
  /** Cause for the operator's log; empty if there is none. */
  cause: string;
}

/** Caches the result of a check for `ms` milliseconds. */
function remembered(ms: number, look: () => Promise<Finding>): () => Promise<Finding> {
  let last: { at: number; finding: Promise<Finding> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) last = { at: performance.now(), finding: look() };
    return last.finding;
  };
}
