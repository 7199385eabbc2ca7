/** The site: pages for people, without an account. Source, output and tracebacks are not on them. */
import {
  ClaimInvite,
  CompetitionName,
  KernelBotError,
  ProblemName,
  TargetName,
  type Submission,
} from "@kernelbot/core";
import { boardPage, competitionPage, homePage, joinPage, sourcePage, submissionPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { listBoards, readBoard } from "../boards/boards.ts";
import { noCompetition } from "../competitions/access.ts";
import { listCompetitions, readCompetition } from "../competitions/competitions.ts";
import { claimInvite } from "../competitions/invites.ts";
import { sourceRefusal } from "../runs/source.ts";
import { readRun, readSource } from "../runs/views.ts";
import { identify, viewerOf } from "./auth.ts";
import { Id } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { validated } from "./input.ts";
import { After, followLog, noSubmission, reached } from "./submissions.ts";

const CompetitionAddress = z.object({ name: CompetitionName });
const BoardAddress = z.object({ board: ProblemName, target: TargetName });

export function mountPages(app: Hono<HttpEnv>, faces: Faces): void {
  const { database, assets } = faces;

  app.get("/", async (c) => {
    c.header("cache-control", "private, no-cache");
    const viewer = await viewerOf(c, faces);
    const [boards, competitions] = await Promise.all([
      listBoards(database, viewer),
      listCompetitions(database, viewer),
    ]);
    return c.html(await homePage({ boards, competitions, server: new URL(c.req.url).origin, now: new Date() }));
  });

  app.get("/competitions/:name", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { name } = validated(CompetitionAddress, c.req.param());
    const viewer = await viewerOf(c, faces);
    const competition = await readCompetition(database, viewer, name);
    if (competition === null) throw noCompetition(name);
    const boards = await listBoards(database, viewer, name);
    return c.html(await competitionPage({ competition, boards, now: new Date() }));
  });

  app.get("/join/:code", async (c) => c.html(await joinPage(validated(ClaimInvite, c.req.param()))));

  app.post("/join/:code", async (c) => {
    const { code } = validated(ClaimInvite, c.req.param());
    try {
      const [first = ""] = (await claimInvite(database, await identify(c, faces), code)).competitions;
      return c.redirect(`/competitions/${first}`, 303);
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.status >= 500) throw error;
      return c.html(await joinPage({ code, refusal: error.message }), error.status);
    }
  });

  app.get("/boards/:board/:target", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { board, target } = validated(BoardAddress, c.req.param());
    return c.html(await boardPage(await readBoard(database, await viewerOf(c, faces), board, target)));
  });

  app.get("/submissions/:id{[0-9]+}", async (c) => {
    const submission = await submissionOf(c);
    const runs = await Promise.all(submission.runs.map((run) => readRun(database, run.id)));
    c.header("cache-control", "private, no-cache");
    const refusal = await sourceRefusal(database, await viewerOf(c, faces), submission.id);
    const shown = runs.filter((run) => run !== null);
    return c.html(await submissionPage({ submission, runs: shown, isSourceOpen: refusal === null }));
  });

  app.get("/submissions/:id{[0-9]+}/source", async (c) => {
    const submission = await submissionOf(c);
    const refusal = await sourceRefusal(database, await viewerOf(c, faces), submission.id);
    if (refusal !== null) throw refusal;
    c.header("cache-control", "private, no-store");
    return c.html(await sourcePage({ submission, source: (await readSource(database, submission.id)) ?? "" }));
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
