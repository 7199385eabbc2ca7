/** Limits of a board on submissions per hour, set one by one. */
import { KernelBotError, type Mode } from "@kernelbot/core";
import type { Transaction } from "kysely";
import { audit } from "../auth/audit.ts";
import type { Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { lockOwnProblem } from "../problems/ownership.ts";

/** Modes to which a limit of the existing system, for a category, applies, each by itself. */
export const MODES_OF_CATEGORY = {
  test: ["test", "benchmark", "profile"],
  leaderboard: ["ranked"],
} as const satisfies Record<string, readonly Mode[]>;

/** Limit of a mode on a problem's boards, for each account. */
interface HourlyLimit {
  mode: Mode;
  /** Submissions within any hour. */
  bound: number;
}

/** Returns the limits on submissions per hour that are set for the boards of a problem themselves. */
export async function listHourlyLimits({ db }: Database, problem: string): Promise<HourlyLimit[]> {
  return db
    .selectFrom("submission_limit")
    .select(["mode", "bound"])
    .where("problem", "=", problem)
    .where("quantity", "=", "per_hour")
    .execute();
}

/**
 * Sets the limit on submissions per hour of some modes on the boards of a problem; null removes it, so that the limits of
 * its competition or the server apply.
 * @throws the errors of `lockOwnProblem`; KernelBotError `not_found` if the limit to remove does not exist.
 */
export async function setHourlyLimit(
  { db }: Database,
  identity: Identity,
  problem: string,
  { modes, bound }: { modes: readonly Mode[]; bound: number | null },
): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    await lockOwnProblem(transaction, identity, problem);
    const removed = await removeLimits(transaction, problem, modes);
    if (bound === null && removed === 0) {
      throw new KernelBotError("not_found", `${problem} has no limit of its own on ${modes.join(", ")} submissions`);
    }
    if (bound !== null) {
      const limit = { competition: null, problem, quantity: "per_hour", bound } as const;
      await transaction
        .insertInto("submission_limit")
        .values(modes.map((mode) => ({ ...limit, mode })))
        .execute();
    }
    await audit(transaction, identity, "limit", `problem ${problem}`, { modes, perHour: bound });
  });
}

async function removeLimits(
  transaction: Transaction<Tables>,
  problem: string,
  modes: readonly Mode[],
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom("submission_limit")
    .where("problem", "=", problem)
    .where("quantity", "=", "per_hour")
    .where("mode", "in", [...modes])
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
