/**
 * Sends grades to platforms (scores of Assignment and Grade Services 2.0), each until the platform has accepted it.
 *
 * A row of lti_score is the grade of a student in a column. One server at a time leases it and sends the newest grade,
 * so that no older one can follow. A score that is sent twice changes nothing.
 */
import { sql, type Selectable, type Updateable } from "kysely";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { backoffMs } from "@kernelbot/server/src/jobs/backoff.ts";
import { leaseDue } from "@kernelbot/server/src/jobs/lease.ts";
import { startPeriodicJobs } from "@kernelbot/server/src/jobs/periodic.ts";
import { openWorkers, type Workers } from "@kernelbot/server/src/jobs/workers.ts";
import { SCOPES } from "./claims.ts";
import { findOrCreateColumn, forgetColumn } from "./columns.ts";
import type { Sign } from "./key.ts";
import { isPending } from "./links.ts";
import { configurationOf, requestService } from "./protocol.ts";
import { updateScores } from "./scores.ts";
import { PlatformError, reasonOf, requireSuccess } from "./service.ts";

/** Number of grades that one server sends concurrently. */
const SLOTS = 4;
/** Duration of a lease, longer than the requests of one try together. */
const LEASE_MS = 120_000;
const UPDATE_MS = 30_000;
/** 10 s, 40 s, 3 min, 11 min, 43 min, then each hour. */
const RETRY = { firstMs: 10_000, maxMs: 3_600_000, factor: 4 };

type Score = Selectable<Tables["lti_score"]>;

export interface SendOptions {
  sign: Sign;
  clock?: () => Date;
  signal?: AbortSignal;
}

/** Starts sending grades. @returns a function that stops after the current requests. */
export function startScores(database: Database, sign: Sign): () => Promise<void> {
  const stopped = new AbortController();
  const sender = openSender(database, { sign, signal: stopped.signal });
  const jobs = startPeriodicJobs(database, [
    { name: "update grades for platforms", everyMs: UPDATE_MS, long: true, run: () => updateScores(database) },
    { name: "send grades to platforms", everyMs: 0, run: () => sender.start() },
  ]);
  return async () => {
    stopped.abort();
    await jobs.stop();
    await sender.idle();
  };
}

/** Opens the workers that send due grades. */
export function openSender(
  database: Database,
  { sign, clock = () => new Date(), signal = new AbortController().signal }: SendOptions,
): Workers {
  return openWorkers<Score>({
    name: "grade for a platform",
    slots: SLOTS,
    slowMs: LEASE_MS,
    claim: () => claim(database, clock()),
    async work(score) {
      try {
        await sendScore(database, sign, score);
        const sent = { sent_points: score.points, sent_maximum: score.maximum, tries: 0, error: null };
        await settle(database, score, sent);
      } catch (error) {
        const retryAfterMs = error instanceof PlatformError ? error.retryAfterMs : 0;
        const delayMs = Math.max(backoffMs(RETRY, score.tries), Math.min(retryAfterMs, RETRY.maxMs));
        await settle(database, score, { error: reasonOf(error), due_at: new Date(clock().getTime() + delayMs) });
      }
    },
    signal,
    log: database.log,
  });
}

async function claim({ db }: Database, now: Date): Promise<Score | undefined> {
  const [score] = await leaseDue(db, "lti_score", {
    now,
    leaseMs: LEASE_MS,
    where: sql<boolean>`${isPending("due")} and exists (select from lti_link l
      where l.id = due.link_id and l.revoked_at is null and l.platform_id is not null)`,
    // Moodle compares the times of scores by the second.
    set: sql`, tries = tries + 1, stamp = greatest(date_trunc('second', now()), stamp + interval '1 second')`,
  });
  return score;
}

/** Stores the result of a try and ends the lease, unless another server has leased the score meanwhile. */
async function settle({ db }: Database, score: Score, change: Updateable<Tables["lti_score"]>): Promise<void> {
  await idempotent(db)
    .updateTable("lti_score")
    .set({ ...change, lease_until: null })
    .where("id", "=", score.id)
    .where("stamp", "=", score.stamp)
    .execute();
}

async function sendScore(database: Database, sign: Sign, score: Score): Promise<void> {
  const { link_id: linkId, account_id: accountId, problem, points, maximum, stamp } = score;
  const link = await database.db.selectFrom("lti_link").selectAll().where("id", "=", linkId).executeTakeFirstOrThrow();
  const platform = await database.db
    .selectFrom("lti_platform")
    .selectAll()
    .where("id", "=", link.platform_id)
    .executeTakeFirstOrThrow();
  const { subject } = await database.db
    .selectFrom("lti_member")
    .select("subject")
    .where("competition", "=", link.competition)
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  const configuration = await configurationOf(database, sign, platform);
  const own = link.problem === null ? null : link.line_item;
  let column = own;
  if (column === null) {
    if (link.line_items === null || !link.scopes.includes(SCOPES.lineItem)) {
      throw new Error(
        "the platform does not allow this server to create grade columns; allow it there, or create a link for each assignment",
      );
    }
    const list = { id: linkId, competition: link.competition, lineItems: link.line_items };
    column = await findOrCreateColumn(database, configuration, list, { problem, maximum });
  }
  const response = await requestService(configuration, {
    scope: SCOPES.score,
    url: scoresAddress(column),
    method: "POST",
    accept: "application/json",
    contentType: "application/vnd.ims.lis.v1.score+json",
    body: {
      userId: subject,
      scoreGiven: points,
      scoreMaximum: maximum,
      timestamp: (stamp ?? new Date()).toISOString(),
      activityProgress: "Completed",
      gradingProgress: "FullyGraded",
    },
  });
  if (response.status === 404 && own === null) await forgetColumn(database, linkId, column);
  await requireSuccess(response);
}

/** Returns the address of a column's scores. Moodle's addresses have a query, which remains. */
export function scoresAddress(column: string): URL {
  const url = new URL(column);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/scores`;
  return url;
}
