import {
  CompetitionName,
  Team,
  JoinTeamRequest,
  TeamList,
  TeamNameRequest,
  RemoveMemberRequest,
} from "@kernelbot/core";
import { z } from "zod";
import { joinTeam, leaveTeam, listTeams, makeTeam, removeFromTeam, renameTeam } from "../teams.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";

const Address = z.object({ name: CompetitionName });
/** Responses may contain a team's join code, which only its members may see. */
const PRIVATE = { "cache-control": "private, no-store" };

export const teamEndpoints = [
  endpoint({
    method: "get",
    path: "/competitions/{name}/teams",
    summary: "The teams of a competition, one's own with the code by which others join it",
    scope: null,
    params: Address,
    answers: { 200: { description: "In the order of their names", schema: TeamList } },
    async handle({ c, services, params }) {
      return c.json(
        { teams: await listTeams(services.database, await viewerOf(c, services), params.name) },
        200,
        PRIVATE,
      );
    },
  }),

  endpoint({
    method: "post",
    path: "/competitions/{name}/teams",
    summary: "Make a team, with oneself in it",
    scope: "submit",
    params: Address,
    body: TeamNameRequest,
    answers: {
      201: { description: "It is made", schema: Team },
      409: { description: "The name is taken, one is in a team already, or there are no teams or no more" },
    },
    async handle({ c, services, identity, params, body }) {
      return c.json(await makeTeam(services.database, identity, params.name, body.name), 201, PRIVATE);
    },
  }),

  endpoint({
    method: "post",
    path: "/competitions/{name}/teams/join",
    summary: "Join the team of a code",
    scope: "submit",
    params: Address,
    body: JoinTeamRequest,
    answers: {
      200: { description: "The team that one is in, perhaps since long ago", schema: Team },
      409: { description: "It is full, one is in another, or there are no teams or no more" },
    },
    async handle({ c, services, identity, params, body }) {
      return c.json(await joinTeam(services.database, identity, params.name, body.code), 200, PRIVATE);
    },
  }),

  endpoint({
    method: "post",
    path: "/competitions/{name}/teams/leave",
    summary: "Leave one's team, before one has submitted ranked in it",
    scope: "submit",
    params: Address,
    answers: {
      204: { description: "One takes part alone" },
      409: { description: "One is in no team, has submitted ranked in it, or the competition has ended" },
    },
    async handle({ c, services, identity, params }) {
      await leaveTeam(services.database, identity, params.name);
      return c.body(null, 204);
    },
  }),

  endpoint({
    method: "post",
    path: "/competitions/{name}/teams/rename",
    summary: "Give one's team another name",
    scope: "submit",
    params: Address,
    body: TeamNameRequest,
    answers: {
      200: { description: "Under its new name", schema: Team },
      409: { description: "The name is taken, one is in no team, or the competition has ended" },
    },
    async handle({ c, services, identity, params, body }) {
      return c.json(await renameTeam(services.database, identity, params.name, body.name), 200, PRIVATE);
    },
  }),

  endpoint({
    method: "post",
    path: "/competitions/{name}/teams/remove",
    summary: "Take an account out of its team: for who organises the competition, and moderators",
    scope: "admin",
    params: Address,
    body: RemoveMemberRequest,
    answers: { 204: { description: "It takes part alone; what it has ranked in the team stays there" } },
    async handle({ c, services, identity, params, body }) {
      await removeFromTeam(services.database, identity, params.name, body.account);
      return c.body(null, 204);
    },
  }),
];
