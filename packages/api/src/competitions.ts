import {
  ClaimInviteRequest,
  Competition,
  CompetitionList,
  CompetitionName,
  CompetitionSpec,
  InviteLinkList,
  InviteLinkRequest,
  InviteList,
  InviteRequest,
  Invites,
  JoinTeamRequest,
  JoinedCompetitions,
  NewInviteLink,
  RemoveMemberRequest,
  RevokeInviteRequest,
  RevokedInvite,
  Team,
  TeamList,
  TeamNameRequest,
} from "@kernelbot/core";
import { z } from "zod";
import { ORGANISER, get, post, put } from "./contract.ts";
import { Id } from "./parameters.ts";

const Address = z.object({ name: CompetitionName });

export const competitions = {
  list: get("/competitions", {
    summary: "List competitions: public ones, and with a token those visible to its account",
    scope: null,
    answers: {
      200: { description: "Current and upcoming competitions first, ended ones last", schema: CompetitionList },
    },
  }),

  get: get("/competitions/{name}", {
    summary: "Get a competition: dates, rules and problems",
    scope: null,
    params: Address,
    answers: { 200: { description: "Current state", schema: Competition } },
  }),

  create: post("/competitions", {
    summary: "Create a competition",
    ...ORGANISER,
    body: CompetitionSpec,
    answers: {
      201: { description: "Competition created", schema: Competition },
      409: { description: "Name taken, or a problem is in another competition" },
    },
  }),

  change: put("/competitions/{name}", {
    summary: "Replace the settings of a competition that the caller organises",
    ...ORGANISER,
    params: Address,
    body: CompetitionSpec,
    answers: {
      200: { description: "Updated competition", schema: Competition },
      409: { description: "A problem is in another competition" },
    },
  }),
};

export const invites = {
  list: get("/competitions/{name}/invites", {
    summary: "List invite codes of a competition that the caller organises, with the accounts that claimed them",
    ...ORGANISER,
    params: Address,
    answers: { 200: { description: "Invite codes, newest first", schema: InviteList } },
  }),

  create: post("/invites", {
    summary: "Create invite codes, each of which admits one account to all of these competitions",
    ...ORGANISER,
    body: InviteRequest,
    answers: { 201: { description: "Invite codes created", schema: Invites } },
  }),

  revoke: post("/invites/revoke", {
    summary: "Revoke an invite code, and the access of the account that claimed it",
    ...ORGANISER,
    body: RevokeInviteRequest,
    answers: { 200: { description: "Invite code revoked", schema: RevokedInvite } },
  }),

  createLink: post("/competitions/{name}/invite-links", {
    summary: "Create an invite link, by which a number of people join, with or without an account",
    ...ORGANISER,
    params: Address,
    body: InviteLinkRequest,
    answers: { 201: { description: "Invite link, whose address is returned only once", schema: NewInviteLink } },
  }),

  listLinks: get("/competitions/{name}/invite-links", {
    summary: "List the invite links of a competition that the caller organises, with the accounts that joined",
    ...ORGANISER,
    params: Address,
    answers: { 200: { description: "Invite links, newest first", schema: InviteLinkList } },
  }),

  revokeLink: post("/competitions/{name}/invite-links/{id}/revoke", {
    summary: "Revoke an invite link; accounts that joined remain members",
    ...ORGANISER,
    params: Address.extend(Id.shape),
    isIdempotent: true,
    answers: { 204: { description: "Invite link revoked" } },
  }),

  claim: post("/invites/claim", {
    summary: "Join the competitions of an invite code or an invite link",
    scope: "submit",
    body: ClaimInviteRequest,
    answers: {
      200: { description: "Joined, now or with an earlier request", schema: JoinedCompetitions },
      409: {
        description: "Invite code already claimed by another account, or invite link used up, expired or revoked",
      },
    },
  }),
};

export const teams = {
  list: get("/competitions/{name}/teams", {
    summary: "List the teams of a competition; the caller's own with its join code",
    scope: null,
    params: Address,
    answers: { 200: { description: "Teams by name", schema: TeamList } },
  }),

  create: post("/competitions/{name}/teams", {
    summary: "Create a team with the caller as its first member",
    scope: "submit",
    params: Address,
    body: TeamNameRequest,
    answers: {
      201: { description: "Team created", schema: Team },
      409: { description: "Name taken, caller already in a team, or the competition has ended or does not have teams" },
    },
  }),

  join: post("/competitions/{name}/teams/join", {
    summary: "Join a team by its code",
    scope: "submit",
    params: Address,
    body: JoinTeamRequest,
    answers: {
      200: { description: "Joined, now or with an earlier request", schema: Team },
      409: { description: "Team full, caller in another team, or the competition has ended or does not have teams" },
    },
  }),

  leave: post("/competitions/{name}/teams/leave", {
    summary: "Leave the caller's team, unless they have made a ranked submission in it",
    scope: "submit",
    params: Address,
    answers: {
      204: { description: "Left the team; the caller competes individually" },
      409: { description: "Caller not in a team, has made a ranked submission in it, or the competition has ended" },
    },
  }),

  rename: post("/competitions/{name}/teams/rename", {
    summary: "Rename the caller's team",
    scope: "submit",
    params: Address,
    body: TeamNameRequest,
    answers: {
      200: { description: "Renamed team", schema: Team },
      409: { description: "Name taken, caller not in a team, or the competition has ended" },
    },
  }),

  removeMember: post("/competitions/{name}/teams/remove", {
    summary: "Remove an account from its team; organisers of the competition and moderators only",
    scope: "admin",
    params: Address,
    body: RemoveMemberRequest,
    answers: { 204: { description: "Removed; its ranked submissions stay with the team" } },
  }),
};
