/** Access to the boards: invite codes and limits on submissions per hour. */
import { sql } from "kysely";
import { jsonText } from "@kernelbot/server/src/db/json.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { MODES_OF_CATEGORY } from "@kernelbot/server/src/submissions/board-limits.ts";
import type { Accounts } from "./accounts.ts";
import type { Boards } from "./boards.ts";
import type { Destination } from "./destination.ts";
import type { Report } from "./report.ts";
import type { SourceInvite, SourceRateLimit } from "./source-rows.ts";

interface Adoption {
  destination: Destination;
  source: string;
  identity: Identity;
  report: Report;
  boards: Boards;
}

/** Imports invite codes, claimed ones with their account, and revokes those that the source no longer has. */
export async function adoptInvites(
  { destination, identity, source, report, boards }: Adoption,
  invites: readonly SourceInvite[],
  accounts: Accounts,
): Promise<{ invites: number; revokedInvites: number }> {
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
    return [{ invite, claimedBy, claimedAt, competitions: [...new Set(competitions)] }];
  });
  return destination.step(async (transaction) => {
    let made = 0;
    for (const { invite, claimedBy, claimedAt, competitions } of rows) {
      const { code, created_at } = invite;
      const {
        rows: [row],
      } = await sql<{ is_new: boolean }>`
        insert into invite as i (code, created_by, created_at, claimed_by, claimed_at)
        values (${code}, ${identity.account.id}, ${created_at}, ${claimedBy}, ${claimedAt})
        on conflict (code) do update set claimed_by = coalesce(i.claimed_by, excluded.claimed_by),
          claimed_at = coalesce(i.claimed_at, excluded.claimed_at)
        returning xmax = 0 as is_new`.execute(transaction);
      if (row?.is_new === true) made += 1;
      await transaction
        .insertInto("invite_competition")
        .values(competitions.map((competition) => ({ competition, code })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await transaction
        .insertInto("adopted_invite")
        .values({ source, number: invite.id, code })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    const deleted = await sql`
      update invite set revoked_at = now() from adopted_invite a
      where a.source = ${source} and a.code = invite.code and revoked_at is null
        and a.number not in (select value::bigint from json_array_elements_text(${jsonText(invites.map(({ id }) => id))}::text::json))`.execute(
      transaction,
    );
    return { invites: made, revokedInvites: Number(deleted.numAffectedRows ?? 0n) };
  });
}

/** Replaces the limits of the boards by those of their leaderboards. @returns the number of limits. */
export async function adoptRateLimits(
  { destination, report, boards }: Adoption,
  limits: readonly SourceRateLimit[],
): Promise<number> {
  let imported = 0;
  const rows = limits.flatMap(({ id, leaderboard_id, mode_category, max_submissions_per_hour: most }) => {
    const board = boards.get(leaderboard_id);
    if (board === undefined) {
      report.skip("rate_limit", id, "leaderboard_id", `the leaderboard ${leaderboard_id} was not imported`);
      return [];
    }
    imported += 1;
    return MODES_OF_CATEGORY[mode_category].map((mode) => ({ problem: board.problem, mode, bound: most }));
  });
  const problems = [...boards.values()].map(({ problem }) => problem);
  await destination.step(async (transaction) => {
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
  return imported;
}
