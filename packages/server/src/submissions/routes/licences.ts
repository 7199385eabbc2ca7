import { Anonymity, LicenceChoice, Submission, SubmissionConsent } from "@kernelbot/core";
import {
  chooseAnonymity,
  chooseLicence,
  licenseSubmission,
  readAnonymity,
  readConsent,
  readLicence,
} from "../licence.ts";
import { endpoint, Id } from "../../http/endpoint.ts";
import { owned } from "./submissions.ts";

export const licenceEndpoints = [
  endpoint({
    method: "get",
    path: "/account/licence",
    summary: "Under which licence one's new submissions may be published; null: under none",
    scope: "read",
    answers: { 200: { description: "The account's own choice", schema: LicenceChoice } },
    async handle({ c, services, identity }) {
      return c.json(await readLicence(services.database, identity));
    },
  }),

  endpoint({
    method: "put",
    path: "/account/licence",
    summary: "Choose the licence of one's new submissions",
    scope: "submit",
    body: LicenceChoice,
    answers: { 200: { description: "It holds from now on", schema: LicenceChoice } },
    async handle({ c, services, identity, body }) {
      await chooseLicence(services.database, identity, body);
      return c.json(body);
    },
  }),

  endpoint({
    method: "get",
    path: "/account/anonymity",
    summary: "Whether published data has one's submissions under a pseudonym",
    scope: "read",
    answers: { 200: { description: "The account's own choice", schema: Anonymity } },
    async handle({ c, services, identity }) {
      return c.json(await readAnonymity(services.database, identity));
    },
  }),

  endpoint({
    method: "put",
    path: "/account/anonymity",
    summary: "Choose whether snapshots that are made from now on name one",
    scope: "submit",
    body: Anonymity,
    answers: { 200: { description: "It holds where a submission says nothing else", schema: Anonymity } },
    async handle({ c, services, identity, body }) {
      await chooseAnonymity(services.database, identity, body);
      return c.json(body);
    },
  }),

  endpoint({
    method: "get",
    path: "/submissions/{id}/licence",
    summary: "How one's own submission may be published",
    scope: "read",
    params: Id,
    answers: { 200: { description: "As its author chose", schema: SubmissionConsent } },
    async handle({ c, services, identity, params }) {
      return c.json(await readConsent(services.database, identity, params.id));
    },
  }),

  endpoint({
    method: "put",
    path: "/submissions/{id}/licence",
    summary: "Let one's own submission be published under a licence, or withdraw that until it is published",
    scope: "submit",
    params: Id,
    body: SubmissionConsent,
    answers: {
      200: { description: "The submission after it", schema: Submission },
      409: { description: "It is published already, under another licence" },
    },
    async handle({ c, services, identity, params, body }) {
      await licenseSubmission(services.database, identity, params.id, body);
      return c.json((await owned(services, identity, params.id)).submission);
    },
  }),
];
