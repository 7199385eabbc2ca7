/** Suites: the problems of a KernelBench checkout, in immutable versions. */
import {
  byKernelKey,
  canonicalJson,
  KernelBotError,
  problemVersion,
  quote,
  sha256,
  suiteKeyText,
  suiteProblem,
  compareTargets,
  type Problem,
  type Suite,
  type SuiteProblem,
  type SuiteSummary,
  type SuiteUpload,
} from "@kernelbot/core";
import { readSuiteProblemFiles } from "@kernelbot/tester/suite-problem-files";
import { sql, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { json } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { storeProblem } from "../problems/store.ts";

type Prepared = SuiteProblem & { built: Problem };

/**
 * Creates or updates a suite; an unchanged suite is not written again. Entries for the previous version stay unchanged,
 * and their kernels that were not submitted yet are never submitted if their problem has changed.
 * @throws KernelBotError `forbidden` for callers other than organisers; `unprocessable` when a problem occurs twice or
 * cannot be built; `conflict` when the name of one of its problems is taken.
 */
export async function putSuite(database: Database, identity: Identity, upload: SuiteUpload): Promise<Suite> {
  requireRole(identity, "organiser");
  const problems = await buildProblems(upload);
  const version = await versionOf(upload, problems);
  await runTransaction(idempotent(database.db), async (transaction) => {
    if (await isCurrent(transaction, upload.name, version)) return;
    await storeVersion(transaction, version, upload, problems);
    await audit(transaction, identity, "put", `suite ${upload.name}`, { version, origin: upload.origin });
  });
  return readSuite(database, upload.name);
}

/** Returns the current versions of all suites, ordered by name. */
export async function listSuites({ db }: Database): Promise<SuiteSummary[]> {
  const rows = await db
    .selectFrom("kernelbench_suite")
    .innerJoin("kernelbench_suite_version as v", "v.version", "kernelbench_suite.version")
    .selectAll("v")
    .select(PROBLEM_COUNT)
    .orderBy("v.name")
    .execute();
  return rows.map(summaryOf);
}

/**
 * Returns the current or the given version of a suite.
 * @throws KernelBotError `not_found`.
 */
export async function readSuite({ db }: Database, name: string, version?: string): Promise<Suite> {
  const row = await db
    .selectFrom("kernelbench_suite_version as v")
    .innerJoin("kernelbench_suite", "kernelbench_suite.name", "v.name")
    .selectAll("v")
    .select(PROBLEM_COUNT)
    .where("v.name", "=", name)
    .where("v.version", "=", (eb) => (version === undefined ? eb.ref("kernelbench_suite.version") : eb.val(version)))
    .executeTakeFirst();
  if (row === undefined) {
    const which = version === undefined ? "" : ` version ${quote(version)}`;
    throw new KernelBotError("not_found", `suite ${quote(name)}${which} does not exist`);
  }
  const problems = await db
    .selectFrom("kernelbench_suite_problem")
    .selectAll()
    .where("suite_version", "=", row.version)
    .orderBy("level")
    .orderBy("problem")
    .execute();
  return {
    ...summaryOf(row),
    problems: problems.map((problem) => ({
      level: problem.level,
      problem: problem.problem,
      fileName: problem.file_name,
      board: problem.board,
      version: problem.problem_version,
      inspection: problem.inspection,
    })),
  };
}

const PROBLEM_COUNT = sql<number>`(select count(*)::integer from kernelbench_suite_problem p
  where p.suite_version = v.version)`.as("problem_count");

type SummaryRow = Omit<Tables["kernelbench_suite_version"], "created_at"> & { created_at: Date; problem_count: number };

function summaryOf(row: SummaryRow): SuiteSummary {
  const { name, version, profile, precision, origin } = row;
  return {
    ...{ name, version, profile, precision, origin },
    targets: row.targets.toSorted(compareTargets),
    createdAt: row.created_at.toISOString(),
    problemCount: row.problem_count,
  };
}

/** Builds the problems of a suite for the judge, ordered by level and problem. */
async function buildProblems(upload: SuiteUpload): Promise<Prepared[]> {
  const sources = upload.problems.toSorted(byKernelKey);
  const twice = sources.find((source, at) => at > 0 && byKernelKey(source, sources[at - 1] ?? source) === 0);
  if (twice !== undefined) {
    throw new KernelBotError("unprocessable", `${suiteKeyText(twice)} occurs twice in the suite`);
  }
  const files = readSuiteProblemFiles();
  return Promise.all(
    sources.map(async (source) => {
      const built = suiteProblem(upload, source, files);
      const { level, problem, fileName, inspection } = source;
      return {
        level,
        problem,
        fileName,
        inspection,
        board: built.spec.name,
        version: await problemVersion(built),
        built,
      };
    }),
  );
}

/** Hashes a suite. Of a problem's inspection only `degenerate` counts, because measured values differ each time. */
function versionOf({ name, profile, precision }: SuiteUpload, problems: readonly Prepared[]): Promise<string> {
  const parts = problems.map(({ level, problem, version, inspection: { degenerate } }) => ({
    ...{ level, problem, version, degenerate },
  }));
  return sha256(canonicalJson({ name, profile, precision, problems: parts }));
}

async function isCurrent(transaction: Transaction<Tables>, name: string, version: string): Promise<boolean> {
  const row = await transaction
    .selectFrom("kernelbench_suite")
    .select("version")
    .where("name", "=", name)
    .forUpdate()
    .executeTakeFirst();
  return row?.version === version;
}

async function storeVersion(
  transaction: Transaction<Tables>,
  version: string,
  { name, profile, precision, origin, targets }: SuiteUpload,
  problems: readonly Prepared[],
): Promise<void> {
  const { numInsertedOrUpdatedRows: inserted } = await transaction
    .insertInto("kernelbench_suite_version")
    .values({ version, name, profile, precision, origin, targets: [...new Set(targets)] })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto("kernelbench_suite")
    .values({ name, version })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ version }))
    .execute();
  for (const { built, version: hash } of problems) {
    await storeProblem(transaction, { set: name, suite: name, problem: built, version: hash });
  }
  // A version that existed before already has its problems.
  if (inserted === 0n) return;
  await transaction
    .insertInto("kernelbench_suite_problem")
    .values(
      problems.map(({ level, problem, fileName, board, version: hash, inspection }) => ({
        ...{ suite_version: version, level, problem, file_name: fileName, board, problem_version: hash },
        inspection: json(inspection),
      })),
    )
    .execute();
}
