/** Creates and controls the entries of pull requests: one account, one suite, one target. */
import type { CheckedKernelBenchEntry, KernelBenchEntryFile, KernelBenchEntrySummary } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { getAccountByName } from "@kernelbot/server/src/auth/accounts.ts";
import { checkFile } from "@kernelbot/server/src/kernelbench/check-file.ts";
import { createEntry, readSummary } from "@kernelbot/server/src/kernelbench/entries.ts";
import { resumeEntry, stopEntry } from "@kernelbot/server/src/kernelbench/evaluate.ts";
import { readProgress } from "@kernelbot/server/src/kernelbench/progress.ts";
import { publishEntry } from "@kernelbot/server/src/kernelbench/publish.ts";
import { readSuite } from "@kernelbot/server/src/kernelbench/suites.ts";
import type { PullRequestOptions } from "./options.ts";

export type Evaluation = ReturnType<typeof openEvaluation>;

export function openEvaluation(database: Database, options: PullRequestOptions) {
  const identity = () => accountIdentity(database, options.account);
  return {
    /** Checks the text of a submission file. */
    async check(text: string): Promise<CheckedKernelBenchEntry> {
      return checkFile(Buffer.from(text), await readSuite(database, options.suite));
    },

    /**
     * Submits a file and returns the id of its entry. The same file is the same entry, whose stopped or lost kernels
     * are resubmitted.
     */
    async evaluate(file: KernelBenchEntryFile): Promise<number> {
      const { suite, target, compiledBaseline } = options;
      const request = { suite, target, file, compiledBaseline };
      const { entry, created } = await createEntry(database, await identity(), request);
      if (!created && entry.publishedAt === null) await resumeEntry(database, await identity(), entry.id);
      return entry.id;
    },

    async read(entryId: number): Promise<{ entry: KernelBenchEntrySummary; isStopped: boolean }> {
      const { finished } = await readProgress(database, entryId);
      const entry = await readSummary(database, await identity(), entryId);
      return { entry, isStopped: finished && entry.progress.waiting > 0 };
    },

    async stop(entryId: number): Promise<void> {
      await stopEntry(database, await identity(), entryId);
    },

    async publish(entryId: number): Promise<void> {
      await publishEntry(database, await identity(), entryId);
    },
  };
}

/** Returns whether no kernel is waiting, queued or running. */
export function isFinished({ progress }: KernelBenchEntrySummary): boolean {
  return progress.waiting + progress.queued + progress.running === 0;
}

/**
 * Returns the identity of the account under which entries of pull requests are submitted, with its current ban.
 * @throws KernelBotError `not_found`.
 */
export async function accountIdentity(database: Database, name: string): Promise<Identity> {
  const { id } = await getAccountByName(database.db, name);
  const account = await database.db
    .selectFrom("account")
    .select(["id", "name", "ban_reason"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return {
    account: { id: account.id, name: account.name },
    roles: [],
    banReason: account.ban_reason,
    scopes: ["submit", "read"],
    targets: [],
    tokenId: null,
    sessionId: null,
  };
}
