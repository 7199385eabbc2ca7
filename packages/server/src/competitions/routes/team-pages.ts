/** The page of a competition's teams, and its forms. */
import { CompetitionName, JoinTeamRequest, TeamNameRequest, RemoveMemberRequest } from "@kernelbot/core";
import { teamsPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { noCompetition } from "../../auth/visibility.ts";
import { readCompetition } from "../competitions.ts";
import { organised } from "../organisers.ts";
import { joinTeam, leaveTeam, listTeams, makeTeam, removeFromTeam, renameTeam } from "../teams.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { viewerOf } from "../../http/identify.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { doneIn, formsOf, type Refused } from "../../http/forms.ts";
import { readFields, validated } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

const Address = z.object({ name: CompetitionName });

/** Messages that `?done=` may select. */
const DONE = {
  made: "The team is made. Its code lets the others in.",
  joined: "You are in the team.",
  renamed: "The team has its new name.",
  left: "You take part alone.",
  removed: "The member is taken out.",
} as const;
const Done = doneIn(DONE);

export function mountTeamPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get("/competitions/:name/teams", async (c) => {
    c.header("cache-control", "private, no-store");
    return c.html(await pageOf(c, await viewerOf(c, services)));
  });

  const act = formsOf(services, (c, identity, refused) => pageOf(c, identity, refused));
  const nameOf = (c: Context<HttpEnv>): string => validated(Address, c.req.param()).name;
  const toPage = (c: Context<HttpEnv>, done: keyof typeof DONE): Response =>
    c.redirect(`/competitions/${nameOf(c)}/teams?done=${done}`, 303);

  app.post(
    "/competitions/:name/teams",
    act(async (c, identity) => {
      await makeTeam(database, identity, nameOf(c), (await readFields(c, TeamNameRequest)).name);
      return toPage(c, "made");
    }),
  );

  app.post(
    "/competitions/:name/teams/join",
    act(async (c, identity) => {
      await joinTeam(database, identity, nameOf(c), (await readFields(c, JoinTeamRequest)).code);
      return toPage(c, "joined");
    }),
  );

  app.post(
    "/competitions/:name/teams/rename",
    act(async (c, identity) => {
      await renameTeam(database, identity, nameOf(c), (await readFields(c, TeamNameRequest)).name);
      return toPage(c, "renamed");
    }),
  );

  app.post(
    "/competitions/:name/teams/leave",
    act(async (c, identity) => {
      await leaveTeam(database, identity, nameOf(c));
      return toPage(c, "left");
    }),
  );

  app.post(
    "/competitions/:name/teams/remove",
    act(async (c, identity) => {
      await removeFromTeam(database, identity, nameOf(c), (await readFields(c, RemoveMemberRequest)).account);
      return toPage(c, "removed");
    }),
  );

  async function pageOf(c: Context<HttpEnv>, identity: Identity | undefined, refused?: Refused): Promise<string> {
    const name = nameOf(c);
    const competition = await readCompetition(database, identity, name);
    if (competition === null) throw noCompetition(name);
    const { done } = Done.parse(c.req.query());
    return teamsPage({
      visit: visitOf(c, services, identity),
      competition,
      teams: await listTeams(database, identity, name),
      now: new Date(),
      mayRemove: identity !== undefined && (await mayRemove(identity, name)),
      done: done && DONE[done],
      problem: refused?.problem,
      typed: refused && { name: refused.typed.get("name"), code: refused.typed.get("code") },
    });
  }

  async function mayRemove(identity: Identity, competition: string): Promise<boolean> {
    if (hasRole(identity, "moderator")) return true;
    return hasRole(identity, "organiser") && (await organised(database.db, identity, [competition])).has(competition);
  }
}
