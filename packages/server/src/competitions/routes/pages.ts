/**
 * The public pages: home, competitions, invites, sources and comparisons. They show no output or tracebacks; sources
 * only to viewers who may read them.
 */
import {
  ClaimInviteRequest,
  CompetitionName,
  KernelBotError,
  type Competition,
  type Submission,
} from "@kernelbot/core";
import { analysisPath, competitionPage, homePage, joinPage, sourcePage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { listBoards } from "../../boards/boards.ts";
import { readListRevision } from "../../boards/revisions.ts";
import { noCompetition, type Viewer } from "../../auth/visibility.ts";
import { listCompetitions, readCompetition } from "../competitions.ts";
import { listTeams } from "../teams.ts";
import { claimInvite } from "../invites.ts";
import { compute } from "../../compute/pool.ts";
import { newestWith } from "../../dataset/snapshots.ts";
import { sourceRefusal } from "../../submissions/source-access.ts";
import { readSource } from "../../submissions/views.ts";
import { formsOf, signed } from "../../http/forms.ts";
import { viewerOf } from "../../http/identify.ts";
import { compareSubmissions, Compared } from "../../submissions/routes/compare.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";
import { noSubmission, reached } from "../../submissions/routes/submissions.ts";

const CompetitionAddress = z.object({ name: CompetitionName });

export function mountPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get("/", async (c) => {
    c.header("cache-control", "private, no-cache");
    const viewer = await viewerOf(c, services);
    // Read before the content, so that a change in between is not missed.
    const revision = await readListRevision(database, viewer);
    const [boards, competitions] = await Promise.all([
      listBoards(database, viewer),
      listCompetitions(database, viewer),
    ]);
    return c.html(
      await homePage({
        boards,
        competitions,
        server: originOf(c, services.site),
        revision,
        now: new Date(),
        visit: visitOf(c, services, viewer),
      }),
    );
  });

  app.get("/competitions/:name", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { name } = validated(CompetitionAddress, c.req.param());
    const viewer = await viewerOf(c, services);
    const competition = await readCompetition(database, viewer, name);
    const revision = await readListRevision(database, viewer, name);
    if (competition === null) throw noCompetition(name);
    const boards = await listBoards(database, viewer, name);
    const teams = await listTeams(database, viewer, name);
    return c.html(
      await competitionPage({
        competition,
        boards,
        teams,
        data: await dataOf(viewer, competition),
        revision,
        now: new Date(),
        visit: visitOf(c, services, viewer),
      }),
    );
  });

  app.get(
    "/join/:code",
    signed(services, async (c, identity) =>
      c.html(
        await joinPage({ ...validated(ClaimInviteRequest, c.req.param()), visit: visitOf(c, services, identity) }),
      ),
    ),
  );

  const joining = formsOf(services, async (c, identity, { problem }) =>
    joinPage({ code: c.req.param("code") ?? "", refusal: problem, visit: visitOf(c, services, identity) }),
  );

  app.post(
    "/join/:code",
    joining(async (c, identity) => {
      const { code } = validated(ClaimInviteRequest, c.req.param());
      const [first = ""] = (await claimInvite(database, identity, code)).competitions;
      return c.redirect(`/competitions/${first}`, 303);
    }),
  );

  app.get("/submissions/:id{[0-9]+}/source", async (c) => {
    const submission = await submissionOf(c);
    const viewer = await viewerOf(c, services);
    const refusal = await sourceRefusal(database, viewer, submission.id);
    if (refusal !== null) throw refusal;
    c.header("cache-control", "private, no-store");
    const source = (await readSource(database, submission.id)) ?? "";
    return c.html(await sourcePage({ submission, source, visit: visitOf(c, services, viewer) }));
  });

  app.get("/compare/:a{[0-9]+}/:b{[0-9]+}", async (c) => {
    const viewer = await viewerOf(c, services);
    if (viewer === undefined) throw new KernelBotError("unauthorized", "Sign in to compare submissions.");
    const asked = validated(Compared, { ...c.req.query(), ...c.req.param() });
    c.header("cache-control", "private, no-store");
    const comparable = await compareSubmissions(services, viewer, asked);
    return c.html(await compute("comparisonPage", { ...comparable, visit: visitOf(c, services, viewer) }));
  });

  async function dataOf(viewer: Viewer, { name, endsAt }: Competition): Promise<string | null> {
    if (new Date(endsAt) > new Date()) return null;
    const id = await newestWith(database, viewer, name);
    return id === null ? null : analysisPath(id, name);
  }

  async function submissionOf(c: Context<HttpEnv>): Promise<Submission> {
    const { id } = validated(Id, c.req.param());
    const found = await reached(services, await viewerOf(c, services), id);
    if (found === null) throw noSubmission(id);
    return found.submission;
  }
}
