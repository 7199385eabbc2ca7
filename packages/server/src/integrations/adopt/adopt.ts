/**
 * Moves the data of an existing KernelBot to this server: users, leaderboards, access and submissions. Can be repeated:
 * each pass imports what is missing and applies what has changed there.
 */
import type { Database } from "../../db/database.ts";
import type { Connection } from "../../db/client.ts";
import { ensureOperator } from "../../auth/operator.ts";
import { audited } from "../../auth/audit.ts";
import type { Identity } from "../../auth/identity.ts";
import type { Progress } from "../../operations/progress.ts";
import { adoptInvites, adoptRateLimits } from "./access.ts";
import { adoptUsers } from "./accounts.ts";
import { adoptLeaderboards } from "./boards.ts";
import type { Report } from "./report.ts";
import { openSource } from "./source.ts";
import { adoptSubmissions, removeSubmissions, type PassOptions } from "./submissions.ts";

export interface Adopt extends PassOptions {
  database: Database;
  from: Connection;
  /** Namespace of the source's ids. */
  source: string;
  report: Report;
  progress: Progress;
}

/** Number of rows that a pass created here, or would create. */
export interface AdoptCounts {
  accounts: number;
  tokens: number;
  bans: number;
  leaderboards: number;
  invites: number;
  limits: number;
  submissions: number;
  runs: number;
  /** Submissions that an earlier pass imported. */
  known: number;
  /** Submissions that have not finished. */
  unfinished: number;
  /** Submissions that were disqualified or deleted there since an earlier pass. */
  removed: number;
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
 * @throws KernelBotError `bad_request` if the source is not the database of a KernelBot.
 */
export async function adopt({ database, from, source, report, progress, ...options }: Adopt): Promise<AdoptCounts> {
  const { isDryRun } = options;
  // Before the first start of the server no account exists.
  if (!isDryRun) await ensureOperator(database);
  const identity = OPERATOR;
  const adoption = { database, identity, source, report };
  const origin = await openSource(from, report);
  try {
    progress.begin("users");
    const { accounts, counts: users } = await adoptUsers(adoption, await origin.listUsers(), isDryRun);
    progress.begin("leaderboards");
    const { boards, made: leaderboards } = await adoptLeaderboards(adoption, await origin.listLeaderboards(), isDryRun);
    const access = { ...adoption, boards };
    const invites = await adoptInvites(access, await origin.listInvites(), { accounts, isDryRun });
    const limits = await adoptRateLimits(access, await origin.listRateLimits(), isDryRun);
    const states = await origin.listSubmissions();
    const submissionAdoption = { ...access, accounts, progress };
    const submissions = await adoptSubmissions(submissionAdoption, origin, states, options);
    const removed = isDryRun ? 0 : await removeSubmissions(submissionAdoption, states);
    const { made, ...others } = users;
    const counts = { accounts: made, ...others, leaderboards, invites, limits, ...submissions, removed };
    if (!isDryRun) await audited(database, identity, "adopt", `source ${source}`, { ...counts });
    return counts;
  } finally {
    await origin.close();
  }
}
