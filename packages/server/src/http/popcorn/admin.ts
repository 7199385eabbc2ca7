/** The client's administration. Every act needs the role that it needs elsewhere, and stands in the audit log. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { setGate } from "../../intake/gate.ts";
import { withProblemsOf } from "../../problems/archive.ts";
import { retireProblem } from "../../problems/retire.ts";
import { syncProblems, type Synced } from "../../problems/sync.ts";
import { audited } from "../../people/audit.ts";
import type { Faces, HttpEnv } from "../faces.ts";
import { readJson } from "../input.ts";
import { boardNamed } from "./boards.ts";
import { privilegedCaller } from "./caller.ts";
import type { PopcornRoute } from "./face.ts";
import { queryNumber, submissionId } from "./input.ts";
import { statistics, submissionIds } from "./statistics.ts";
import { adminSubmission } from "./submission.ts";

const CreateLeaderboard = z.object({
  directory: z.string().min(1).max(200),
});
const UpdateProblems = z.object({
  repository: z.string().default("gpu-mode/reference-kernels"),
  branch: z.string().default("main"),
  problem_set: z.string().max(200).nullish(),
  force: z.boolean().default(false),
});

export const adminRoutes: readonly PopcornRoute[] = [
  ["POST", "/admin/start", (c, faces) => gate(c, faces, true)],
  ["POST", "/admin/stop", (c, faces) => gate(c, faces, false)],
  ["GET", "/admin/stats", stats],
  ["GET", "/admin/submissions/:id", getSubmission],
  ["POST", "/admin/leaderboards", createLeaderboard],
  ["DELETE", "/admin/leaderboards/:leaderboard", deleteLeaderboard],
  ["GET", "/admin/leaderboards/:leaderboard/submissions", listSubmissionIds],
  ["POST", "/admin/update-problems", updateProblems],
];

async function gate(c: Context<HttpEnv>, faces: Faces, accepts: boolean): Promise<Response> {
  await setGate(faces.database, await privilegedCaller(c, faces, "administrator"), accepts);
  return c.json({ status: "ok", accepts_jobs: accepts });
}

async function stats(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  await privilegedCaller(c, faces, "moderator");
  const asked = c.req.query("leaderboard_name");
  const board = asked === undefined ? null : (await boardNamed(faces.database, asked)).name;
  const lastDay = c.req.query("last_day_only")?.toLowerCase() === "true";
  return c.json({ status: "ok", stats: await statistics(faces.database, { board, lastDay }) });
}

async function getSubmission(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  await privilegedCaller(c, faces, "moderator");
  const found = await faces.reads.submission(submissionId(c));
  if (found === null) throw new KernelBotError("not_found", "Submission not found");
  return c.json({ status: "ok", submission: await adminSubmission(faces, found.submission) });
}

async function listSubmissionIds(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  await privilegedCaller(c, faces, "moderator");
  const { name: leaderboard } = await boardNamed(faces.database, c.req.param("leaderboard") ?? "");
  const limit = queryNumber(c, "limit", { least: 1, most: 10_000, usually: 100 });
  const offset = queryNumber(c, "offset", { least: 0, usually: 0 });
  const submission_ids = await submissionIds(faces.database, leaderboard, { limit, offset });
  return c.json({ status: "ok", leaderboard, limit, offset, submission_ids });
}

/** Opens the board of a directory below the server's own folder of problems. */
async function createLeaderboard(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  const identity = await privilegedCaller(c, faces, "organiser");
  const { directory } = await readJson(c, CreateLeaderboard);
  const wanted = directory.replace(/\/+$/, "");
  const synced = await syncProblems(faces.database, faces.problemsFolder, {
    only: (set, name) => wanted === name || wanted === `${set}/${name}`,
    reopen: true,
  });
  const [broken] = synced.broken;
  if (broken !== undefined) throw new KernelBotError("unprocessable", broken.message);
  const [problem] = synced.problems;
  if (problem === undefined) {
    throw new KernelBotError("not_found", `there is no problem directory ${quote(directory)} in the server's problems`);
  }
  await audited(faces.database, identity, "open", `problem ${problem.name}`);
  return c.json({ status: "ok", leaderboard: problem.name });
}

async function deleteLeaderboard(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  const identity = await privilegedCaller(c, faces, "organiser");
  const { name } = await boardNamed(faces.database, c.req.param("leaderboard") ?? "");
  const force = c.req.query("force")?.toLowerCase() === "true";
  await retireProblem(faces.database, identity, name, { force });
  return c.json({ status: "ok", leaderboard: name, force });
}

async function updateProblems(c: Context<HttpEnv>, faces: Faces): Promise<Response> {
  const identity = await privilegedCaller(c, faces, "administrator");
  const { problem_set, force, ...branch } = await readJson(c, UpdateProblems);
  const synced = await withProblemsOf(faces.archives, branch, (folder) =>
    syncProblems(faces.database, folder, {
      only: (set) => problem_set == null || set === problem_set,
      keepRanked: !force,
      reopen: true,
    }),
  );
  await audited(faces.database, identity, "update", "problems", { ...branch, problemSet: problem_set ?? null, force });
  return c.json({ status: "ok", ...told(synced) });
}

function told({ problems, kept, broken }: Synced) {
  const names = (wanted: (problem: Synced["problems"][number]) => boolean): string[] =>
    problems.filter(wanted).map(({ name }) => name);
  return {
    created: names(({ created }) => created),
    updated: names(({ created, changed }) => changed && !created),
    skipped: [
      ...names(({ changed }) => !changed).map((name) => ({ name, reason: "no changes" })),
      ...kept.map(({ name, message }) => ({ name, reason: message })),
    ],
    errors: broken.map(({ path, message }) => ({ name: path.split("/").at(-1) ?? "", error: message })),
  };
}
