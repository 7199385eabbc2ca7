/** A server with the shipped problems and the accounts of the showcase. */
import { join } from "node:path";
import { parseProblem, problemVersion, type ProblemSpec } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity, Role, Scope } from "@kernelbot/server/src/auth/identity.ts";
import { authenticate, createAccount, issueToken } from "@kernelbot/server/src/auth/tokens.ts";
import type { ObjectStore } from "@kernelbot/server/src/artifacts/store.ts";
import { storeProblem } from "@kernelbot/server/src/problems/store.ts";
import { syncProblems } from "@kernelbot/server/src/problems/sync.ts";
import type { Signer } from "@kernelbot/server/src/runs/signer.ts";
import { loadProblemDirectory } from "@kernelbot/tester/problem-directory";
import { PROBLEM_SETS } from "./folders.ts";
import { STATIONS } from "./machines.ts";
import { PARTICIPANTS, STAFF } from "./people.ts";

/** Services of the server that the showcase fills. */
export interface DiscordResources {
  database: Database;
  store: ObjectStore;
  /** Folder of the dataset snapshots. */
  datasets: string;
  signer: Signer;
}

export type Cast = Record<keyof typeof STAFF, Identity> & {
  /** Participants by name. */
  by: ReadonlyMap<string, Identity>;
  /** Identities of the runners by target. */
  runners: ReadonlyMap<string, Identity>;
};

/** Problem whose boards rank by SOL score in the showcase, since none of the shipped problems does. */
const BY_EFFICIENCY = "vectorsum";

/** Imports the shipped problems. @returns their specifications by name. */
export async function withShippedProblems(database: Database): Promise<ReadonlyMap<string, ProblemSpec>> {
  await syncProblems(database, PROBLEM_SETS);
  await rankByEfficiency(database);
  const rows = await database.db
    .selectFrom("problem")
    .innerJoin("problem_version", "problem_version.hash", "problem.version")
    .select(["problem.name", "problem_version.spec"])
    .execute();
  return new Map(rows.map((row) => [row.name, row.spec]));
}

async function rankByEfficiency({ db }: Database): Promise<void> {
  const set = "pmpp";
  const { files } = await loadProblemDirectory(join(PROBLEM_SETS, set, BY_EFFICIENCY));
  const task = files["task.yml"]?.replace(/^ranking_by: .*$/m, "ranking_by: sol_score") ?? "";
  const problem = parseProblem(BY_EFFICIENCY, { ...files, "task.yml": task });
  const version = await problemVersion(problem);
  await db.transaction().execute((transaction) => storeProblem(transaction, { set, suite: null, problem, version }));
}

/** Creates all accounts and runner tokens. */
export async function cast(database: Database): Promise<Cast> {
  const SCOPES: Record<keyof typeof STAFF, Scope[]> = {
    organiser: ["submit", "read", "account", "admin"],
    moderator: ["submit", "read", "account", "admin"],
    administrator: ["submit", "read", "account", "admin"],
    newcomer: ["submit", "read", "account"],
  };
  const staff: Partial<Record<keyof typeof STAFF, Identity>> = {};
  for (const [key, { name, roles }] of Object.entries(STAFF) as [keyof typeof STAFF, (typeof STAFF)["organiser"]][]) {
    staff[key] = await person(database, name, SCOPES[key], roles);
  }
  const by = new Map<string, Identity>();
  for (const { name } of PARTICIPANTS) by.set(name, await person(database, name, ["submit", "read", "account"]));
  const runners = new Map<string, Identity>();
  const { id: accountId } = await createAccount(database, "runners");
  for (const target of new Set(STATIONS.map((station) => station.target))) {
    const label = `machines with ${target}`;
    const token = await issueToken(database, { accountId, label, scopes: ["runner"], targets: [target] });
    runners.set(target, await authenticate(database, token));
  }
  return { ...(staff as Record<keyof typeof STAFF, Identity>), by, runners };
}

async function person(
  database: Database,
  name: string,
  scopes: Scope[],
  roles: readonly Role[] = [],
): Promise<Identity> {
  const { id: accountId } = await createAccount(database, name, roles);
  return authenticate(database, await issueToken(database, { accountId, label: "laptop", scopes }));
}
