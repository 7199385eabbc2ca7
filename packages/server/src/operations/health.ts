/**
 * Whether the server can do its work, for whoever sends it requests: a proxy, Kubernetes, a person. The sentences are for
 * everybody, so the cause of a fault is told to the operator alone, when it begins and when it ends.
 */
import { KernelBotError } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import { readMigrations } from "../db/migrate.ts";
import { codeOf, dispositionOf, TOO_MANY_CONNECTIONS } from "../db/retry.ts";

/** What must be well. */
export type Part = "database" | "schema" | "store" | "serving";

export interface Readiness {
  ready: boolean;
  /** `ok`, or what is wrong. */
  checks: Record<Part, string>;
}

export interface Health {
  /** Asked by anybody, so it looks once a second at most, and into the store less often. */
  readiness(): Promise<Readiness>;
}

const OK = "ok";
const REMEMBER_MS = 1000;
/** A look into the store writes an object, for which a service takes money. */
const REMEMBER_STORE_MS = 15_000;
/** Takes a new connection. */
const REMEMBER_ROOM_MS = 2000;
/** After this long without an answer a part is not well. */
const PATIENCE_MS = 3000;

/** @param stopping Aborted as soon as the server is asked to stop. */
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
  // Our own refusal says that it has been silent.
  const isAnswer = !(error instanceof KernelBotError) && dispositionOf(error) === "unavailable";
  return isAnswer ? "the database cannot do its work" : "the database does not answer";
}

interface Finding {
  said: string;
  /** For the operator; empty where all is well. */
  cause: string;
}

/** The same look for all who ask within this time. */
function remembered(ms: number, look: () => Promise<Finding>): () => Promise<Finding> {
  let last: { at: number; finding: Promise<Finding> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) last = { at: performance.now(), finding: look() };
    return last.finding;
  };
}
