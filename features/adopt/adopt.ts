/**
 * Moves the data of an existing KernelBot to this server: users, leaderboards, access and submissions. Can be repeated:
 * each pass imports what is missing and applies what has changed there.
 */
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Connection } from "@kernelbot/server/src/db/client.ts";
import { KernelBotError } from "@kernelbot/core";
import { ensureOperator } from "@kernelbot/server/src/auth/operator.ts";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { Progress } from "@kernelbot/server/src/operations/progress.ts";
import { adoptInvites, adoptRateLimits } from "./access.ts";
import { adoptUsers } from "./accounts.ts";
import { adoptLeaderboards } from "./boards.ts";
import type { Report } from "./report.ts";
import { perform, rehearse, type Destination } from "./destination.ts";
import { countMissing, removeSubmissions, restoreSubmissions } from "./removals.ts";
import { requireSameSource } from "./same-source.ts";
import { openSource, type Source } from "./source.ts";
import { adoptSubmissions } from "./submissions.ts";

interface Adopt {
  database: Database;
  from: Connection;
  /** Namespace of the source's ids. */
  source: string;
  report: Report;
  progress: Progress;
  /** Executes the statements of the pass in a transaction that is rolled back. */
  isRehearsal: boolean;
  /** Also imports submissions that have not finished. */
  includeUnfinished: boolean;
  /** Number of submissions of earlier passes that the pass may remove because the source no longer has them. */
  maxRemovals: number;
}

/** Number of rows that a pass created here, or would create. */
export interface AdoptCounts {
  accounts: number;
  tokens: number;
  /** Tokens revoked because their cli_id was invalidated there. */
  revokedTokens: number;
  bans: number;
  /** Bans that were lifted there. */
  liftedBans: number;
  leaderboards: number;
  invites: number;
  /** Invite codes that were deleted there. */
  revokedInvites: number;
  limits: number;
  submissions: number;
  runs: number;
  /** Submissions that an earlier pass imported. */
  known: number;
  /** Submissions that have not finished. */
  unfinished: number;
  /** Submissions that were disqualified or deleted there since an earlier pass. */
  removed: number;
  /** Submissions that an earlier pass removed and that count there again. */
  restored: number;
  /** Users who began a registration and did not finish it; they have nothing to import. */
  temporary: number;
}

/** The operator, who makes all changes. */
const OPERATOR: Identity = {
  account: { id: "operator", name: "operator" },
  roles: ["administrator"],
  banReason: null,
  scopes: ["admin"],
  targets: [],
  tokenId: null,
  sessionId: null,
};

/**
 * Runs one pass.
 * @throws KernelBotError `bad_request` if the source is not the database of a KernelBot, or another one than that of the
 * earlier passes; `conflict` if the pass would remove more submissions than it may.
 */
export async function adopt({ database, from, report, isRehearsal, ...options }: Adopt): Promise<AdoptCounts> {
  const origin = await openSource(from, report);
  try {
    const pass = (destination: Destination) => runPass(destination, origin, { report, ...options });
    return await (isRehearsal ? rehearse(database, pass) : perform(database, pass));
  } finally {
    await origin.close();
  }
}

async function runPass(
  destination: Destination,
  origin: Source,
  { source, report, progress, includeUnfinished, maxRemovals }: Omit<Adopt, "database" | "from" | "isRehearsal">,
): Promise<AdoptCounts> {
  const identity = OPERATOR;
  const adoption = { destination, identity, source, report };
  const leaderboards = await origin.listLeaderboards();
  const states = await origin.listSubmissions();
  await requireSameSource(adoption, origin, leaderboards);
  const missing = await countMissing(adoption, states);
  if (missing > maxRemovals) throw tooManyRemovals(missing, maxRemovals, source);
  // Before the first start of the server no account exists.
  await destination.step((transaction) => ensureOperator({ db: transaction }));
  progress.begin("users");
  const { accounts, counts: users } = await adoptUsers(adoption, await origin.listUsers());
  progress.begin("leaderboards");
  const { boards, made } = await adoptLeaderboards(adoption, leaderboards);
  progress.begin("invite codes and rate limits");
  const access = { ...adoption, boards };
  const invites = await adoptInvites(access, await origin.listInvites(), accounts);
  const limits = await adoptRateLimits(access, await origin.listRateLimits());
  const submissionAdoption = { ...access, accounts, progress };
  const submissions = await adoptSubmissions(submissionAdoption, origin, states, includeUnfinished);
  progress.begin("disqualified and deleted submissions");
  const restored = await restoreSubmissions(submissionAdoption, states);
  const removed = await removeSubmissions(submissionAdoption, states);
  const counts = { ...users, leaderboards: made, ...invites, limits, ...submissions, removed, restored };
  await destination.step((transaction) => audit(transaction, identity, "adopt", `source ${source}`, { ...counts }));
  return counts;
}

function tooManyRemovals(missing: number, maxRemovals: number, source: string): KernelBotError {
  return new KernelBotError(
    "conflict",
    `--from lacks ${missing} submissions that earlier passes imported from ${source}, as an older copy does; nothing was written. ` +
      `If they were deleted there, allow their removal with --max-removals ${missing} (now ${maxRemovals})`,
  );
}
