import { CompetitionName } from "@kernelbot/core";
import {
  CourseLti,
  LtiLinkRequest,
  LtiPlatform,
  LtiPlatformRequest,
  LtiPlatforms,
  LtiRegistrationLink,
  LtiRegistrationRequest,
  LtiRosterResult,
  NewLtiLink,
} from "./messages.ts";
import { z } from "zod";
import { ADMINISTRATOR, del, get, ORGANISER, post, put } from "@kernelbot/api/contract";
import { Id, wholeNumber } from "@kernelbot/api";

const CourseAddress = z.object({ name: CompetitionName });

/** Contracts of the endpoints about learning platforms. */
export const ltiContracts = {
  platforms: get("/lti/platforms", {
    summary: "List the learning platforms, and the addresses with which this server is registered at them",
    ...ADMINISTRATOR,
    answers: { 200: { description: "Platforms by name", schema: LtiPlatforms } },
  }),

  setPlatform: put("/lti/platforms", {
    summary: "Register a learning platform, or replace the one with the same issuer and client id",
    ...ADMINISTRATOR,
    body: LtiPlatformRequest,
    answers: { 200: { description: "The registered platform", schema: LtiPlatform } },
  }),

  removePlatform: del("/lti/platforms/{id}", {
    summary: "Remove a learning platform and revoke its links; accounts and members remain",
    ...ADMINISTRATOR,
    params: Id,
    answers: { 204: { description: "Platform removed" } },
  }),

  createRegistration: post("/lti/registrations", {
    summary: "Create a link by which a learning platform registers this server (LTI Dynamic Registration)",
    ...ADMINISTRATOR,
    body: LtiRegistrationRequest,
    answers: {
      200: { description: "The link; its URL is returned only in this response", schema: LtiRegistrationLink },
    },
  }),

  course: get("/competitions/{name}/course/lti", {
    summary: "List the links of a course to learning platforms, and the grades that platforms have not accepted",
    ...ORGANISER,
    params: CourseAddress,
    answers: { 200: { description: "Links by number, and the state of the grades", schema: CourseLti } },
  }),

  createLink: post("/competitions/{name}/course/lti/links", {
    summary: "Create a link, which opens a course from one activity of a learning platform",
    ...ORGANISER,
    params: CourseAddress,
    body: LtiLinkRequest,
    answers: {
      200: { description: "The link; its parameter is returned only in this response", schema: NewLtiLink },
      404: { description: "The competition is not a course, or has no such assignment" },
    },
  }),

  revokeLink: post("/competitions/{name}/course/lti/links/{id}/revoke", {
    summary: "Revoke a link to a learning platform; members remain, and its grades are no longer sent",
    ...ORGANISER,
    params: CourseAddress.extend({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) }),
    isIdempotent: true,
    answers: { 204: { description: "Link revoked" } },
  }),

  importRoster: post("/competitions/{name}/course/lti/roster", {
    summary:
      "Add and update students from the members of the platforms' courses (Names and Role Provisioning Services)",
    ...ORGANISER,
    params: CourseAddress,
    isIdempotent: true,
    answers: {
      200: { description: "Numbers of changed students; students that left remain", schema: LtiRosterResult },
      409: { description: "No platform has granted access to the members of its course" },
    },
  }),

  sendGrades: post("/competitions/{name}/course/lti/send", {
    summary: "Send the grades of a course to its learning platforms now, failed ones included",
    ...ORGANISER,
    params: CourseAddress,
    isIdempotent: true,
    answers: { 200: { description: "State of the grades, of which the changed ones are queued", schema: CourseLti } },
  }),
};
