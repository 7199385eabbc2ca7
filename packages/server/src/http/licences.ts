import { Anonymity, LicenceChoice, Submission, SubmissionConsent } from "@kernelbot/core";
import {
  chooseAnonymity,
  chooseLicence,
  licenseSubmission,
  readAnonymity,
  readConsent,
  readLicence,
} from "../intake/licence.ts";
import { endpoint, Id } from "./endpoint.ts";
import { owned } from "./submissions.ts";

export const licenceEndpoints = [
  endpoint({
    method: "get",
    path: "/account/licence",
    summary: "Under which licence one's new submissions may be published; null: under none",
    scope: "read",
    answers: { 200: { description: "The account's own choice", schema: LicenceChoice } },
    async handle({ c, faces, identity }) {
      return c.json(await readLicence(faces.database, identity));
    },
  }),

  endpoint({
    method: "put",
    path: "/account/licence",
    summary: "Choose the licence of one's new submissions",
    scope: "submit",
    body: LicenceChoice,
    answers: { 200: { description: "It holds from now on", schema: LicenceChoice } },
    async handle({ c, faces, identity, body }) {
      await chooseLicence(faces.database, identity, body);
      return c.json(body);
    },
  }),

  endpoint({
    method: "get",
    path: "/account/anonymity",
    summary: "Whether published data has one's submissions under a pseudonym",
    scope: "read",
    answers: { 200: { description: "The account's own choice", schema: Anonymity } },
    async handle({ c, faces, identity }) {
      return c.json(await readAnonymity(faces.database, identity));
    },
  }),

  endpoint({
    method: "put",
    path: "/account/anonymity",
    summary: "Choose whether snapshots that are made from now on name one",
    scope: "submit",
    body: Anonymity,
    answers: { 200: { description: "It holds where a submission says nothing else", schema: Anonymity } },
    async handle({ c, faces, identity, body }) {
      await chooseAnonymity(faces.database, identity, body);
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
    async handle({ c, faces, identity, params }) {
      return c.json(await readConsent(faces.database, identity, params.id));
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
    async handle({ c, faces, identity, params, body }) {
      await licenseSubmission(faces.database, identity, params.id, body);
      return c.json((await owned(faces, identity, params.id)).submission);
    },
  }),
];
