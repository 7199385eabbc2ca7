/**
 * Administration routes of the popcorn client. Each requires the same role as in /api/v1 and is recorded in the audit
 * log.
 */
import { hasProblem, KernelBotError, ProblemPrefix, ProblemVisibility, quote, type SyncOutcome } from "@kernelbot/core";
import { sql } from "kysely";
import { z } from "zod";
import { listCompetitions } from "@kernelbot/server/src/competitions/competitions.ts";
import { createInvites, listInvites, revokeInvite } from "@kernelbot/server/src/competitions/invites.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { ban, unban } from "@kernelbot/server/src/moderation/ban.ts";
import { removeAny } from "@kernelbot/server/src/moderation/remove.ts";
import { setGate } from "@kernelbot/server/src/submissions/gate.ts";
import { openProblem } from "@kernelbot/server/src/problems/open.ts";
import { retireProblem } from "@kernelbot/server/src/problems/retire.ts";
import { updateProblems as updateFrom } from "@kernelbot/server/src/problems/update.ts";
import { readJson } from "@kernelbot/server/src/http/input.ts";
import type { PageRoute } from "@kernelbot/server/src/http/page.ts";
import { boardNamed } from "./boards.ts";
import { exportToHub } from "./export-hf.ts";
import { queryBoolean, queryNumber, submissionId } from "./input.ts";
import { leaderboardSettings } from "./leaderboard-settings.ts";
import { statistics, submissionIds } from "@kernelbot/server/src/operations/statistics.ts";
import { popcornRoute, type PopcornCall } from "./route.ts";
import { adminSubmission } from "./submission.ts";
import { queueForParticipant } from "./submit.ts";

const CreateLeaderboard = z.strictObject({
  directory: z.string().min(1).max(200),
  visibility: ProblemVisibility.nullish(),
});
const GenerateInvites = z
  .strictObject({
    leaderboard: z.string().optional(),
    leaderboards: z.array(z.string()).max(100).optional(),
    count: z.int().min(1).max(10_000).default(1),
  })
  .transform(({ leaderboard, leaderboards, count }) => ({
    leaderboards: leaderboards ?? (leaderboard === undefined ? [] : [leaderboard]),
    count,
  }))
  .refine(({ leaderboards }) => leaderboards.length > 0, "name at least one leaderboard");
const UpdateProblems = z.strictObject({
  repository: z.string().default("gpu-mode/reference-kernels"),
  branch: z.string().default("main"),
  problem_set: z.string().max(200).nullish(),
  force: z.boolean().default(false),
  visibility: ProblemVisibility.nullish(),
  // Not a field of the client.
  prefix: ProblemPrefix.nullish(),
});

export const adminRoutes: readonly PageRoute[] = [
  popcornRoute("post", "/admin/start", "administrator", (call) => setGateTo(call, true)),
  popcornRoute("post", "/admin/stop", "administrator", (call) => setGateTo(call, false)),
  popcornRoute("get", "/admin/stats", "moderator", stats, ["last_day_only", "leaderboard_name"]),
  popcornRoute("get", "/admin/submissions/:id", "moderator", getSubmission),
  popcornRoute("post", "/admin/submission/:leaderboard/:gpu/:mode", "organiser", queueForParticipant),
  popcornRoute("post", "/admin/leaderboards", "organiser", createLeaderboard),
  popcornRoute("delete", "/admin/leaderboards/:leaderboard", "organiser", deleteLeaderboard, ["force"]),
  popcornRoute("get", "/admin/leaderboards/:leaderboard/submissions", "moderator", listSubmissionIds, [
    "limit",
    "offset",
  ]),
  popcornRoute("post", "/admin/update-problems", "administrator", updateProblems),
  popcornRoute("post", "/admin/export-hf", "administrator", exportToHub),
  popcornRoute("delete", "/admin/submissions/:id", "moderator", deleteAnySubmission),
  popcornRoute("delete", "/admin/submissions", "moderator", deleteSubmissionsOf, ["leaderboard_id", "user_name"]),
  ...leaderboardSettings,
  popcornRoute("post", "/admin/ban/:user", "moderator", banUser),
  popcornRoute("delete", "/admin/ban/:user", "moderator", unbanUser),
  popcornRoute("post", "/admin/invites", "organiser", generateInvites),
  popcornRoute("get", "/admin/leaderboards/:leaderboard/invites", "organiser", invitesOf),
  popcornRoute("delete", "/admin/invites/:code", "organiser", revoke),
];

async function setGateTo({ c, services, identity }: PopcornCall, accepts: boolean): Promise<Response> {
  await setGate(services.database, identity, accepts);
  return c.json({ status: "ok", accepts_jobs: accepts });
}

async function stats({ c, services, identity }: PopcornCall): Promise<Response> {
  const boardName = c.req.query("leaderboard_name");
  const board = boardName === undefined ? null : (await boardNamed(services.database, identity, boardName)).name;
  const lastDay = queryBoolean(c, "last_day_only");
  return c.json({ status: "ok", stats: await statistics(services.database, { board, lastDay }) });
}

async function getSubmission({ c, services }: PopcornCall): Promise<Response> {
  const found = await services.reads.submission(submissionId(c));
  if (found === null) throw new KernelBotError("not_found", "Submission not found");
  return c.json({ status: "ok", submission: await adminSubmission(services, found.submission) });
}

async function listSubmissionIds({ c, services, identity }: PopcornCall): Promise<Response> {
  const { name: leaderboard } = await boardNamed(services.database, identity, c.req.param("leaderboard") ?? "");
  const limit = queryNumber(c, "limit", { least: 1, most: 10_000, usually: 100 });
  const offset = queryNumber(c, "offset", { least: 0, usually: 0 });
  const submission_ids = await submissionIds(services.database, leaderboard, { limit, offset });
  return c.json({ status: "ok", leaderboard, limit, offset, submission_ids });
}

/** Public reason of the decision; the client does not send one. */
const REASON = "by a moderator, with the popcorn client";

async function deleteAnySubmission({ c, services, identity }: PopcornCall): Promise<Response> {
  const id = submissionId(c);
  const found = await services.reads.submission(id);
  // A submission that its owner deleted may still be removed by a moderator, with a reason.
  if (found === null || found.submission.removed?.by === "moderator") {
    throw new KernelBotError("not_found", "Submission not found");
  }
  await removeAny(services.database, identity, id, { reason: REASON });
  return c.json({ status: "ok", submission_id: id });
}

/** Removes the submissions of one user to one board. */
async function deleteSubmissionsOf({ c, services: { database }, identity }: PopcornCall): Promise<Response> {
  const leaderboard_id = queryNumber(c, "leaderboard_id", { least: 1, usually: 0 });
  const user_name = c.req.query("user_name") ?? "";
  if (leaderboard_id === 0 || user_name === "") {
    throw new KernelBotError("bad_request", "leaderboard_id and user_name are required");
  }
  const found = await findSubmissionsOf(database, leaderboard_id, user_name);
  for (const { id } of found) await removeAny(database, identity, id, { reason: REASON });
  const deleted_runs = found.reduce((sum, { runs }) => sum + runs, 0);
  const deleted = { deleted_job_status: found.length, deleted_runs, deleted_submissions: found.length };
  return c.json({ status: "ok", leaderboard_id, user_name, ...deleted });
}

async function findSubmissionsOf({ db }: Database, leaderboard: number, user: string) {
  const problem = await db.selectFrom("problem").select("name").where("number", "=", leaderboard).executeTakeFirst();
  if (problem === undefined) throw new KernelBotError("not_found", `Leaderboard ${leaderboard} does not exist.`);
  return db
    .selectFrom("submission")
    .innerJoin("account", "account.id", "submission.account_id")
    .select("submission.id")
    .select(sql<number>`(select count(*)::integer from run where run.submission_id = submission.id)`.as("runs"))
    .where("submission.problem", "=", problem.name)
    .where("account.name", "=", user)
    .where("submission.is_evaluation", "=", false)
    .where("submission.removed_at", "is", null)
    .orderBy("submission.id")
    .execute();
}

async function banUser({ c, services, identity }: PopcornCall): Promise<Response> {
  const { id, name } = await accountNumbered(services.database, c.req.param("user") ?? "");
  await ban(services.database, identity, { account: name, reason: REASON });
  return c.json({ status: "ok", user_id: id, banned: true });
}

async function unbanUser({ c, services, identity }: PopcornCall): Promise<Response> {
  const { id, name } = await accountNumbered(services.database, c.req.param("user") ?? "");
  await unban(services.database, identity, { account: name, reason: REASON });
  return c.json({ status: "ok", user_id: id, banned: false });
}

/** Creates invite codes for the competitions of the given boards. */
async function generateInvites({ c, services, identity }: PopcornCall): Promise<Response> {
  const { leaderboards, count } = await readJson(c, GenerateInvites);
  const competitions = await Promise.all(leaderboards.map((name) => competitionOf(services.database, identity, name)));
  const { codes } = await createInvites(services.database, identity, {
    competitions: [...new Set(competitions)],
    count,
  });
  return c.json({ status: "ok", leaderboards, codes });
}

async function invitesOf({ c, services, identity }: PopcornCall): Promise<Response> {
  const leaderboard = c.req.param("leaderboard") ?? "";
  const invites = await listInvites(
    services.database,
    identity,
    await competitionOf(services.database, identity, leaderboard),
  );
  return c.json({
    status: "ok",
    leaderboard,
    invites: invites.map(({ code, claimedBy, claimedAt, createdAt }) => ({
      code,
      user_id: claimedBy?.id ?? null,
      user_name: claimedBy?.name ?? null,
      claimed_at: claimedAt,
      created_at: createdAt,
    })),
  });
}

async function revoke({ c, services, identity }: PopcornCall): Promise<Response> {
  const { code, wasClaimed } = await revokeInvite(services.database, identity, c.req.param("code") ?? "");
  return c.json({ status: "ok", code, was_claimed: wasClaimed });
}

/**
 * Returns the competition of a board, which is what invite codes give access to.
 * @throws KernelBotError `unprocessable` where the board is not in a competition.
 */
async function competitionOf(database: Database, identity: Identity, leaderboard: string): Promise<string> {
  const { name } = await boardNamed(database, identity, leaderboard);
  const competition = (await listCompetitions(database, identity)).find((each) => hasProblem(each, name));
  if (competition !== undefined) return competition.name;
  throw new KernelBotError(
    "unprocessable",
    `the board ${name} is not in a competition, so participants need no invite code`,
  );
}

async function accountNumbered({ db }: Database, id: string): Promise<{ id: string; name: string }> {
  const account = await db.selectFrom("account").select(["id", "name"]).where("id", "=", id).executeTakeFirst();
  if (account === undefined) throw new KernelBotError("not_found", `User ${quote(id)} not found`);
  return account;
}

/** Creates the board of a directory in the server's own problem folder. */
async function createLeaderboard({ c, services, identity }: PopcornCall): Promise<Response> {
  const { directory, visibility = null } = await readJson(c, CreateLeaderboard);
  const leaderboard = await openProblem(services.database, identity, services.problemsFolder, {
    directory,
    visibility,
  });
  return c.json({ status: "ok", leaderboard });
}

async function deleteLeaderboard({ c, services, identity }: PopcornCall): Promise<Response> {
  const { name } = await boardNamed(services.database, identity, c.req.param("leaderboard") ?? "");
  const force = queryBoolean(c, "force");
  await retireProblem(services.database, identity, name, { force });
  return c.json({ status: "ok", leaderboard: name, force });
}

async function updateProblems({ c, services, identity }: PopcornCall): Promise<Response> {
  const { problem_set = null, visibility = null, prefix = null, ...update } = await readJson(c, UpdateProblems);
  const request = { ...update, problemSet: problem_set, visibility, prefix };
  const { problems, competitions } = await updateFrom(services.database, identity, services.archives, request);
  const named = (outcome: SyncOutcome): string[] =>
    problems.filter((each) => each.outcome === outcome).map(({ name }) => name);
  const reasons = { unchanged: "no changes", gone: "no longer in the repository; kept unchanged" };
  return c.json({
    status: "ok",
    created: named("new"),
    updated: named("changed"),
    skipped: problems.flatMap(({ name, outcome, why }) =>
      outcome === "unchanged" || outcome === "gone"
        ? [{ name, reason: reasons[outcome] }]
        : outcome === "kept"
          ? [{ name, reason: why }]
          : [],
    ),
    errors: [...problems, ...competitions.map((each) => ({ ...each, name: each.file }))]
      .filter(({ outcome }) => outcome === "refused")
      .map(({ name, why }) => ({ name, error: why })),
  });
}
