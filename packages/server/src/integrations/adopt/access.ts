/** Access to the boards: invite codes and limits on submissions per hour. */
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { runTransaction } from "../../db/transaction.ts";
import type { Identity } from "../../auth/identity.ts";
import { MODES_OF_CATEGORY } from "../popcorn/leaderboard-settings.ts";
import type { Accounts } from "./accounts.ts";
import type { Boards } from "./boards.ts";
import type { Report } from "./report.ts";
import type { SourceInvite, SourceRateLimit } from "./source-rows.ts";

interface Adoption {
  database: Database;
  identity: Identity;
  report: Report;
  boards: Boards;
}

/** Imports invite codes, claimed ones with their account. @returns the number of codes that are new. */
export async function adoptInvites(
  { database, identity, report, boards }: Adoption,
  invites: readonly SourceInvite[],
  { accounts, isDryRun }: { accounts: Accounts; isDryRun: boolean },
): Promise<number> {
  const rows = invites.flatMap((invite) => {
    const competitions = invite.leaderboards.flatMap((number) => boards.get(number)?.competition ?? []);
    const claimedBy = invite.user_id === null ? null : accounts.get(invite.user_id);
    if (competitions.length === 0) {
      report.skip("leaderboard_invite", invite.id, "leaderboards", "it gives access to no imported leaderboard");
      return [];
    }
    if (claimedBy === undefined) {
      report.skip("leaderboard_invite", invite.id, "user_id", `the user ${invite.user_id} was not imported`);
      return [];
    }
    const claimedAt = claimedBy === null ? null : (invite.claimed_at ?? invite.created_at);
    return [{ code: invite.code, createdAt: invite.created_at, claimedBy, claimedAt, competitions }];
  });
  if (isDryRun) return rows.length;
  return runTransaction(database.db, async (transaction) => {
    let made = 0;
    for (const { code, createdAt, claimedBy, claimedAt, competitions } of rows) {
      const {
        rows: [row],
      } = await sql<{ is_new: boolean }>`
        insert into invite as i (code, created_by, created_at, claimed_by, claimed_at)
        values (${code}, ${identity.account.id}, ${createdAt}, ${claimedBy}, ${claimedAt})
        on conflict (code) do update set claimed_by = coalesce(i.claimed_by, excluded.claimed_by),
          claimed_at = coalesce(i.claimed_at, excluded.claimed_at)
        returning xmax = 0 as is_new`.execute(transaction);
      if (row?.is_new === true) made += 1;
      await transaction
        .insertInto("invite_competition")
        .values(competitions.map((competition) => ({ competition, code })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    return made;
  });
}

/** Replaces the limits of the boards by those of their leaderboards. @returns the number of limits. */
export async function adoptRateLimits(
  { database, report, boards }: Adoption,
  limits: readonly SourceRateLimit[],
  isDryRun: boolean,
): Promise<number> {
  const rows = limits.flatMap(({ id, leaderboard_id, mode_category, max_submissions_per_hour: most }) => {
    const board = boards.get(leaderboard_id);
    if (board === undefined) {
      report.skip("rate_limit", id, "leaderboard_id", `the leaderboard ${leaderboard_id} was not imported`);
      return [];
    }
    if (most === 0)
      report.change("rate_limit", id, "max_submissions_per_hour", "0 is 1 here; retire the board to accept none");
    return MODES_OF_CATEGORY[mode_category].map((mode) => ({ problem: board.problem, mode, bound: Math.max(1, most) }));
  });
  if (isDryRun) return rows.length;
  const problems = [...boards.values()].map(({ problem }) => problem);
  await runTransaction(database.db, async (transaction) => {
    if (problems.length === 0) return;
    await transaction
      .deleteFrom("submission_limit")
      .where("problem", "in", problems)
      .where("quantity", "=", "per_hour")
      .execute();
    if (rows.length === 0) return;
    const values = rows.map((row) => ({ ...row, competition: null, quantity: "per_hour" as const }));
    await transaction.insertInto("submission_limit").values(values).execute();
  });
  return limits.length;
}
