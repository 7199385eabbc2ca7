/** The site: pages for people, without an account. Source, output and tracebacks are not on them. */
import { ProblemName, TargetName, type Submission } from "@kernelbot/core";
import { boardPage, homePage, inspectionPage, moderationPage, submissionPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { listBoards, readBoard } from "../boards/boards.ts";
import { requireRole } from "../db/identity.ts";
import { inspectRun } from "../moderation/inspect.ts";
import { moderationQueue } from "../moderation/quarantine.ts";
import { readRun } from "../runs/views.ts";
import { identify, viewerOf } from "./auth.ts";
import { Id } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { validated } from "./input.ts";
import { originOf } from "./origin.ts";
import { After, followLog, noSubmission, reached } from "./submissions.ts";

const BoardAddress = z.object({ board: ProblemName, target: TargetName });

export function mountPages(app: Hono<HttpEnv>, faces: Faces): void {
  const { database, assets } = faces;

  app.get("/", async (c) => {
    c.header("cache-control", "private, no-cache");
    const viewer = await viewerOf(c, faces);
    const boards = await listBoards(database, viewer);
    return c.html(await homePage({ boards, server: originOf(c, faces.site), viewer: viewer?.account ?? null }));
  });

  app.get("/boards/:board/:target", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { board, target } = validated(BoardAddress, c.req.param());
    const viewer = await viewerOf(c, faces);
    return c.html(await boardPage(await readBoard(database, viewer, board, target), viewer?.account ?? null));
  });

  app.get("/moderation", async (c) => {
    const identity = await identify(c, faces);
    requireRole(identity, "moderator");
    c.header("cache-control", "private, no-store");
    return c.html(await moderationPage(await moderationQueue(database), identity.account));
  });

  app.get("/moderation/runs/:id{[0-9]+}", async (c) => {
    const identity = await identify(c, faces);
    requireRole(identity, "moderator");
    c.header("cache-control", "private, no-store");
    return c.html(await inspectionPage(await inspectRun(database, validated(Id, c.req.param()).id), identity.account));
  });

  app.get("/submissions/:id{[0-9]+}", async (c) => {
    const submission = await submissionOf(c);
    const runs = await Promise.all(submission.runs.map((run) => readRun(database, run.id)));
    c.header("cache-control", "private, no-cache");
    const shown = runs.filter((run) => run !== null);
    const viewer = (await viewerOf(c, faces))?.account ?? null;
    return c.html(await submissionPage({ submission, runs: shown, viewer }));
  });

  app.get("/submissions/:id{[0-9]+}/updates", async (c) => {
    const submission = await submissionOf(c);
    return followLog(c, faces, submission, validated(After, c.req.query()).after, "numbers");
  });

  async function submissionOf(c: Context<HttpEnv>): Promise<Submission> {
    const { id } = validated(Id, c.req.param());
    const found = await reached(faces, await viewerOf(c, faces), id);
    if (found === null) throw noSubmission(id);
    return found.submission;
  }

  app.get("/assets/:name", (c) => {
    const asset = assets.get(c.req.path);
    if (asset === undefined) return c.notFound();
    return c.body(asset.text, 200, { "content-type": asset.type, "cache-control": "no-cache" });
  });
}
