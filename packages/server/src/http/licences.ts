import { LicenceChoice, Submission } from "@kernelbot/core";
import { chooseLicence, licenseSubmission, readLicence } from "../intake/licence.ts";
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
    method: "put",
    path: "/submissions/{id}/licence",
    summary: "Let one's own submission be published under a licence, or withdraw that until it is published",
    scope: "submit",
    params: Id,
    body: LicenceChoice,
    answers: {
      200: { description: "The submission after it", schema: Submission },
      409: { description: "It is published already" },
    },
    async handle({ c, faces, identity, params, body }) {
      await licenseSubmission(faces.database, identity, params.id, body.licence);
      return c.json((await owned(faces, identity, params.id)).submission);
    },
  }),
];
