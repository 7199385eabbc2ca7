/** The page of a competition's teams, and its forms. */
import { CompetitionName, JoinTeamRequest, TeamNameRequest, RemoveMemberRequest } from "@kernelbot/core";
import { teamsPage } from "@kernelbot/web";
import { z } from "zod";
import { noCompetition } from "../../auth/visibility.ts";
import { readCompetition } from "../competitions.ts";
import { isOrganisedBy } from "../organisers.ts";
import { joinTeam, leaveTeam, listTeams, createTeam, removeFromTeam, renameTeam } from "../teams.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import type { Database } from "../../db/database.ts";
import { doneQuery, form, page, type PageRoute } from "../../http/page.ts";

const Address = z.object({ name: CompetitionName });

/** Messages that `?done=` may select. */
const DONE = {
  made: "Team created. Share its code with the other members.",
  joined: "You joined the team.",
  renamed: "Team renamed.",
  left: "You left the team.",
  removed: "Member removed.",
} as const;
const Done = doneQuery(DONE);

const teams = page({
  path: "/competitions/:name/teams",
  access: "viewer",
  params: Address,
  query: Done,
  cacheControl: "private, no-store",
  async handle({ services: { database }, identity, params: { name }, query: { done }, visit, rejected }) {
    const competition = await readCompetition(database, identity, name);
    if (competition === null) throw noCompetition(name);
    return teamsPage({
      visit,
      competition,
      teams: await listTeams(database, identity, name),
      now: new Date(),
      mayRemove: identity !== undefined && (await mayRemove(database, identity, name)),
      done: done && DONE[done],
      problem: rejected?.problem,
      typed: rejected && { name: rejected.typed.get("name"), code: rejected.typed.get("code") },
    });
  },
});

async function mayRemove(database: Database, identity: Identity, competition: string): Promise<boolean> {
  if (hasRole(identity, "moderator")) return true;
  return hasRole(identity, "organiser") && (await isOrganisedBy(database.db, identity, [competition])).has(competition);
}

const toPage =
  (done: keyof typeof DONE) =>
  ({ params: { name } }: { params: { name: string } }): string =>
    `/competitions/${name}/teams?done=${done}`;

export const teamPages: readonly PageRoute[] = [
  teams,

  form({
    path: "/competitions/:name/teams",
    on: teams,
    fields: TeamNameRequest,
    handle: ({ services, identity, params, fields }) =>
      createTeam(services.database, identity, params.name, fields.name),
    redirectTo: toPage("made"),
  }),

  form({
    path: "/competitions/:name/teams/join",
    on: teams,
    fields: JoinTeamRequest,
    handle: ({ services, identity, params, fields }) => joinTeam(services.database, identity, params.name, fields.code),
    redirectTo: toPage("joined"),
  }),

  form({
    path: "/competitions/:name/teams/rename",
    on: teams,
    fields: TeamNameRequest,
    handle: ({ services, identity, params, fields }) =>
      renameTeam(services.database, identity, params.name, fields.name),
    redirectTo: toPage("renamed"),
  }),

  form({
    path: "/competitions/:name/teams/leave",
    on: teams,
    handle: ({ services, identity, params }) => leaveTeam(services.database, identity, params.name),
    redirectTo: toPage("left"),
  }),

  form({
    path: "/competitions/:name/teams/remove",
    on: teams,
    fields: RemoveMemberRequest,
    handle: ({ services, identity, params, fields }) =>
      removeFromTeam(services.database, identity, params.name, fields.account),
    redirectTo: toPage("removed"),
  }),
];
