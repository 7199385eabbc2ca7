/** A run with the evidence for a moderator's decision. */
import { KernelBotError, type Inspection } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { readRun, readSubmission } from "../submissions/views.ts";
import { quarantined } from "./quarantine.ts";
import { similarTo } from "./similar.ts";

/**
 * Returns a run with its open flags and the most similar submissions. Does not check access.
 * @throws KernelBotError `not_found`.
 */
export async function inspectRun(database: Database, runId: number): Promise<Inspection> {
  const run = await readRun(database, runId);
  const submission = run && (await readSubmission(database, run.submissionId));
  if (run === null || submission === null) throw new KernelBotError("not_found", `run ${runId} not found`);
  const [items, similar] = await Promise.all([quarantined(database, { runId }), similarTo(database, submission.id)]);
  return { run, account: submission.account, flags: items.flatMap((item) => item.flags), similar };
}
