/**
 * Permanent failures, which a retry does not fix: the work on the pull request ends, and its comment and status give
 * the reason.
 */
import { codeSpan } from "@kernelbot/core";
import { LABEL } from "./events.ts";
import { stopEntries } from "./on-changed.ts";
import { isPermanent, unlessPermanent } from "./permanent.ts";
import { updatePull, type Work } from "./pull-state.ts";

/** Runs a step of the work. A permanent failure ends the work. @throws other errors. */
export async function failIfPermanent(work: Work, step: () => Promise<Work>): Promise<Work> {
  try {
    return await step();
  } catch (error) {
    if (isPermanent(error)) return fail(work, error.message);
    throw error;
  }
}

/** Ends the work on a pull request and stores the reason in its notice. */
export async function fail(work: Work, reason: string): Promise<Work> {
  const { database, pull } = work;
  database.log(`pull request ${pull.repository}#${pull.number} failed: ${reason}`);
  await unlessPermanent(stopEntries(work), database.log, "stopping the evaluation failed");
  const again = `After fixing this, remove the label ${codeSpan(LABEL)} and add it again, or redeliver the event on the App's page.`;
  const notice = `KernelBot cannot continue: ${codeSpan(reason, 300)}. ${again}`;
  return updatePull(work, { state: "failed", labelled_sha: null, refusals: null, notice });
}
