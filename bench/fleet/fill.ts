/** Fills a data folder with problems, accounts and queued runs before the server starts. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../packages/server/src/db/database.ts";
import { jsonText } from "../../packages/server/src/db/json.ts";
import { syncProblems } from "../../packages/server/src/problems/sync.ts";
import { createAccount, issueToken } from "../../packages/server/src/auth/tokens.ts";

export interface Crowd {
  targets: number;
  accounts: number;
  runs: number;
  /** Share of the queue that belongs to one account; the others have equal shares of the rest. */
  floodShare: number;
  /** Number of accounts without queued runs. */
  visitors?: number;
}

export interface Filled {
  targets: string[];
  /** Token that may claim runs of all targets. */
  runnerToken: string;
  /** One token per visitor. */
  visitorTokens: string[];
  problems: string;
  flood: string;
}

const BATCH = 500;
const SOURCE = "pass\n";
const MODES = ["test", "test", "test", "test", "test", "test", "test", "benchmark", "benchmark", "ranked"];

export async function fill(dataDir: string, crowd: Crowd): Promise<Filled> {
  const targets = Array.from({ length: crowd.targets }, (_, n) => `cpu-${n}`);
  const problems = join(dataDir, "problems");
  mkdirSync(join(problems, "set/double"), { recursive: true });
  writeFileSync(
    join(problems, "set/double/task.yml"),
    `description: Doubles a vector.
tests: [{ size: 1, seed: 1 }]
benchmarks: [{ size: 8, seed: 2 }]
ranking_by: mean
targets: { ${targets.map((target) => `${target}: {}`).join(", ")} }
`,
  );
  writeFileSync(join(problems, "set/double/reference.py"), "def ref_kernel(data): ...\n");
  const database = await openDatabase({ dataDir });
  try {
    await syncProblems(database, problems);
    const flood = (await createAccount(database, "flood")).id;
    const people: string[] = [];
    for (let n = 1; n < crowd.accounts; n += 1) people.push((await createAccount(database, `person-${n}`)).id);
    await queue(database, owners(crowd, flood, people), targets);
    const visitorTokens: string[] = [];
    for (let n = 1; n <= (crowd.visitors ?? 0); n += 1) {
      const { id: accountId } = await createAccount(database, `visitor-${n}`);
      visitorTokens.push(await issueToken(database, { accountId, label: "visitor", scopes: ["submit", "read"] }));
    }
    const keeper = await createAccount(database, "keeper");
    const issued = { accountId: keeper.id, label: "fleet", scopes: ["runner"], targets } as const;
    return {
      targets,
      problems,
      flood,
      runnerToken: await issueToken(database, issued),
      visitorTokens,
    };
  } finally {
    await database.close();
  }
}

/** Returns the owner of each run; the flood is first in the queue. */
function owners({ runs, floodShare }: Crowd, flood: string, people: readonly string[]): string[] {
  const flooded = Math.round(runs * floodShare);
  return Array.from({ length: runs }, (_, n) =>
    n < flooded ? flood : (people[(n - flooded) % people.length] as string),
  );
}

/** Queues a run for each owner with the statement that intake uses; runs of an account alternate the targets. */
async function queue(database: Database, accounts: readonly string[], targets: readonly string[]): Promise<void> {
  const sourceHash = `\\x${createHash("sha256").update(SOURCE).digest("hex")}`;
  const counts = new Map<string, number>();
  const items = accounts.map((accountId, n) => {
    const count = counts.get(accountId) ?? 0;
    counts.set(accountId, count + 1);
    return {
      account_id: accountId,
      problem: "double",
      targets: [targets[count % targets.length]],
      mode: MODES[n % MODES.length],
      file_name: "kernel.py",
      source: SOURCE,
      code_hash: sourceHash,
      idempotency_key: ` fleet ${n}`,
      request_hash: sourceHash,
      author_kind: "undeclared",
      priority: 0,
    };
  });
  for (let from = 0; from < items.length; from += BATCH) {
    const batch = jsonText(items.slice(from, from + BATCH));
    await database.sql`select count(*) from accept_submissions(${batch}::text::json)`;
  }
  await database.sql`vacuum analyze`;
}
