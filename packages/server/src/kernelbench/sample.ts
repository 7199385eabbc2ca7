/** The KernelBench suite that comes with KernelBot, and the sample entry that a new server judges for it. */
import { readFile } from "node:fs/promises";
import { KernelBenchEntryFile, SuiteUpload } from "@kernelbot/core";
import { sql } from "kysely";
import { findOperator } from "../auth/operator.ts";
import type { Database } from "../db/database.ts";
import { readAvailabilities } from "../queue/availability.ts";
import { isGateOpen } from "../submissions/gate.ts";
import { createEntry } from "./entries.ts";
import { publishEntry } from "./publish.ts";
import { putSuite } from "./suites.ts";

const SAMPLE = { suite: "kernelbench-mini", target: "cpu" };
const FOLDER = new URL("../../../../suites/kernelbench-mini/", import.meta.url);

/** Interval at which a server continues with the sample entry, in milliseconds. */
export const SAMPLE_MS = 10_000;

/**
 * Stores the suite, or its new version. A suite of the same name that an organiser uploaded is left unchanged.
 * @returns whether the server has the suite.
 * @throws KernelBotError `conflict` when the name of one of its problems is taken.
 */
export async function offerSampleSuite(database: Database): Promise<boolean> {
  const upload = SuiteUpload.parse(JSON.parse(await readFile(new URL("suite.json", FOLDER), "utf8")));
  const operator = await findOperator(database);
  if (operator === null || !operator.roles.includes("administrator")) return false;
  const current = await database.db
    .selectFrom("kernelbench_suite")
    .innerJoin("kernelbench_suite_version as v", "v.version", "kernelbench_suite.version")
    .select("v.origin")
    .where("v.name", "=", upload.name)
    .executeTakeFirst();
  if (current !== undefined && current.origin !== upload.origin) return false;
  await putSuite(database, operator, upload);
  return true;
}

/**
 * Submits the sample entry once a runner of its target is online and submissions are accepted, unless the suite has had
 * an entry, and publishes it when all its kernels are judged.
 */
export async function judgeSampleEntry(database: Database): Promise<void> {
  const first = await findFirstEntry(database);
  if (first?.isPublishable === false) return;
  const operator = await findOperator(database);
  if (operator === null) return;
  if (first !== undefined) {
    await publishEntry(database, operator, first.id);
  } else if ((await isGateOpen(database)) && (await readAvailabilities(database))(SAMPLE.target).online > 0) {
    const file = KernelBenchEntryFile.parse(JSON.parse(await readFile(new URL("entry.json", FOLDER), "utf8")));
    await createEntry(database, operator, { ...SAMPLE, file, compiledBaseline: false });
  }
}

/** Returns the first entry of the suite, and whether it is an unpublished one of the operator with all kernels judged. */
async function findFirstEntry({ db }: Database) {
  const { rows } = await sql<{ id: number; isPublishable: boolean }>`
    select e.id, e.account_id = 'operator' and e.published_at is null and e.stopped_at is null and not exists (
        select from kernelbench_kernel k left join run r on r.submission_id = k.submission_id and r.rerun = 0
        where k.entry_id = e.id and (r.verdict is null or r.verdict = 'infra_error')) as "isPublishable"
    from kernelbench_entry e join kernelbench_suite_version v on v.version = e.suite_version
    where v.name = ${SAMPLE.suite} order by e.id limit 1`.execute(db);
  return rows[0];
}
