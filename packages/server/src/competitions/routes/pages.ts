/**
 * The public pages: home, competitions, sources and comparisons. They show no output or tracebacks; sources
 * only to viewers who may read them.
 */
import { api, Id } from "@kernelbot/api";
import { CompetitionName, KernelBotError, type Competition } from "@kernelbot/core";
import { analysisPath, competitionPage, homePage, sourcePage } from "@kernelbot/web";
import { z } from "zod";
import { listBoards } from "../../boards/list.ts";
import { readListChangeNumber } from "../../boards/change-numbers.ts";
import { noCompetition, type Viewer } from "../../auth/visibility.ts";
import { listFrontProblems } from "../../problems/problems.ts";
import { listCompetitions, readCompetition } from "../competitions.ts";
import { listTeams } from "../teams.ts";
import { listKindLinks } from "./kinds.ts";
import { compute } from "../../compute/pool.ts";
import { newestWith } from "../../dataset/snapshots.ts";
import { sourceRefusal } from "../../submissions/source-access.ts";
import { readSource } from "../../submissions/views.ts";
import { compareSubmissions } from "../../submissions/routes/compare.ts";
import { readAvailabilities } from "../../queue/availability.ts";
import type { Database } from "../../db/database.ts";
import { validated } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";
import { noSubmission } from "../../submissions/routes/submissions.ts";

export const competitionPages: readonly PageRoute[] = [
  page({
    path: "/",
    access: "viewer",
    async handle({ c, services: { database, site }, identity, visit }) {
      // Read before the content, so that a change in between is not missed.
      const changeNumber = await readListChangeNumber(database, identity);
      const { names, practice } = await listFrontProblems(database, identity);
      const [boards, competitions, availabilities] = await Promise.all([
        listBoards(database, identity, { problems: names }),
        listCompetitions(database, identity),
        readAvailabilities(database),
      ]);
      const server = originOf(c, site);
      return homePage({ boards, practice, competitions, availabilities, server, changeNumber, now: new Date(), visit });
    },
  }),

  page({
    path: "/competitions/:name",
    access: "viewer",
    params: z.object({ name: CompetitionName }),
    async handle({ services, identity, params: { name }, visit }) {
      const { database } = services;
      const competition = await readCompetition(database, identity, name);
      const changeNumber = await readListChangeNumber(database, identity, name);
      if (competition === null) throw noCompetition(name);
      const boards = await listBoards(database, identity, { competition: name });
      const teams = await listTeams(database, identity, name);
      const data = await findDataPath(database, identity, competition);
      const links = await listKindLinks(services, name);
      return competitionPage({ competition, boards, teams, data, links, changeNumber, now: new Date(), visit });
    },
  }),

  page({
    path: "/submissions/:id{[0-9]+}/source",
    access: "viewer",
    params: Id,
    cacheControl: "private, no-store",
    async handle({ services, identity, params: { id }, visit }) {
      const found = await services.reads.visibleSubmission(identity, id);
      if (found === null) throw noSubmission(id);
      const refusal = await sourceRefusal(services.database, identity, id);
      if (refusal !== null) throw refusal;
      const source = (await readSource(services.database, id)) ?? "";
      return sourcePage({ submission: found.submission, source, visit });
    },
  }),

  page({
    path: "/compare/:a{[0-9]+}/:b{[0-9]+}",
    access: "viewer",
    cacheControl: "private, no-store",
    async handle({ c, services, identity, visit }) {
      if (identity === undefined) throw new KernelBotError("unauthorized", "Sign in to compare submissions.");
      const query = validated(api.submissions.compare.query, { ...c.req.query(), ...c.req.param() });
      const comparable = await compareSubmissions(services, identity, query);
      return compute("comparisonPage", { ...comparable, visit });
    },
  }),
];

/** Returns the path of the analysis of an ended competition; null where no snapshot contains it. */
async function findDataPath(database: Database, viewer: Viewer, { name, endsAt }: Competition) {
  if (new Date(endsAt) > new Date()) return null;
  const id = await newestWith(database, viewer, name);
  return id === null ? null : analysisPath(id, name);
}
