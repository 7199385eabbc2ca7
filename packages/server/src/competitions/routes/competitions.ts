import {
  Competition,
  CompetitionList,
  CompetitionName,
  CompetitionSpec,
  ClaimInviteRequest,
  InviteList,
  InviteRequest,
  Invites,
  JoinedCompetitions,
  KernelBotError,
  quote,
  RevokedInvite,
} from "@kernelbot/core";
import { z } from "zod";
import { noCompetition } from "../../auth/visibility.ts";
import { changeCompetition, createCompetition } from "../change.ts";
import { listCompetitions, readCompetition } from "../competitions.ts";
import { claimInvite, createInvites, listInvites, revokeInvite } from "../invites.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";

const Address = z.object({ name: CompetitionName });

export const competitionEndpoints = [
  endpoint({
    method: "get",
    path: "/competitions",
    summary: "The competitions that are public, and with a token those of its account",
    scope: null,
    answers: { 200: { description: "What runs or comes first, the ended ones last", schema: CompetitionList } },
    async handle({ c, services }) {
      return c.json({ competitions: await listCompetitions(services.database, await viewerOf(c, services)) });
    },
  }),

  endpoint({
    method: "get",
    path: "/competitions/{name}",
    summary: "A competition: dates, rules and problems",
    scope: null,
    params: Address,
    answers: { 200: { description: "As it stands now", schema: Competition } },
    async handle({ c, services, params }) {
      const competition = await readCompetition(services.database, await viewerOf(c, services), params.name);
      if (competition === null) throw noCompetition(params.name);
      return c.json(competition);
    },
  }),

  endpoint({
    method: "post",
    path: "/competitions",
    summary: "Make a competition",
    scope: "admin",
    role: "organiser",
    body: CompetitionSpec,
    answers: {
      201: { description: "It is made", schema: Competition },
      409: { description: "Its name is taken, or a problem is in another competition" },
    },
    async handle({ c, services, identity, body }) {
      return c.json(await createCompetition(services.database, identity, body), 201);
    },
  }),

  endpoint({
    method: "put",
    path: "/competitions/{name}",
    summary: "Change all of a competition that one organises",
    scope: "admin",
    role: "organiser",
    params: Address,
    body: CompetitionSpec,
    answers: {
      200: { description: "As it stands now", schema: Competition },
      409: { description: "A problem is in another competition" },
    },
    async handle({ c, services, identity, params, body }) {
      if (body.name !== params.name) {
        throw new KernelBotError("unprocessable", `name: the address says ${quote(params.name)}; a name stays`);
      }
      return c.json(await changeCompetition(services.database, identity, body));
    },
  }),

  endpoint({
    method: "get",
    path: "/competitions/{name}/invites",
    summary: "The invite codes of a competition that one organises, and who claimed them",
    scope: "admin",
    role: "organiser",
    params: Address,
    answers: { 200: { description: "The newest first", schema: InviteList } },
    async handle({ c, services, identity, params }) {
      const invites = await listInvites(services.database, identity, params.name);
      return c.json({ invites }, 200, { "cache-control": "private, no-store" });
    },
  }),

  endpoint({
    method: "post",
    path: "/invites",
    summary: "Make invite codes, each of which opens all of these competitions to one account",
    scope: "admin",
    role: "organiser",
    body: InviteRequest,
    answers: { 201: { description: "They are made", schema: Invites } },
    async handle({ c, services, identity, body }) {
      return c.json(await createInvites(services.database, identity, body), 201, {
        "cache-control": "private, no-store",
      });
    },
  }),

  endpoint({
    method: "post",
    path: "/invites/revoke",
    summary: "End an invite code, and the access of who claimed it",
    scope: "admin",
    role: "organiser",
    body: ClaimInviteRequest,
    answers: { 200: { description: "It opens nothing any more", schema: RevokedInvite } },
    async handle({ c, services, identity, body }) {
      return c.json(await revokeInvite(services.database, identity, body.code));
    },
  }),

  endpoint({
    method: "post",
    path: "/invites/claim",
    summary: "Join the competitions of an invite code",
    scope: "submit",
    body: ClaimInviteRequest,
    answers: {
      200: { description: "They are open to this account, perhaps since long ago", schema: JoinedCompetitions },
      409: { description: "Another account has claimed it" },
    },
    async handle({ c, services, identity, body }) {
      return c.json(await claimInvite(services.database, identity, body.code));
    },
  }),
];
