import { api } from "@kernelbot/api";
import {
  chooseAnonymity,
  chooseLicence,
  licenseSubmission,
  readAnonymity,
  readConsent,
  readLicence,
} from "../licence.ts";
import { endpoint } from "../../http/endpoint.ts";
import { getOwnSubmission } from "./submissions.ts";

export const licenceEndpoints = [
  endpoint(api.account.licence, async ({ c, services, identity }) => {
    return c.json(await readLicence(services.database, identity));
  }),

  endpoint(api.account.chooseLicence, async ({ c, services, identity, body }) => {
    await chooseLicence(services.database, identity, body);
    return c.json(body);
  }),

  endpoint(api.account.anonymity, async ({ c, services, identity }) => {
    return c.json(await readAnonymity(services.database, identity));
  }),

  endpoint(api.account.chooseAnonymity, async ({ c, services, identity, body }) => {
    await chooseAnonymity(services.database, identity, body);
    return c.json(body);
  }),

  endpoint(api.submissions.consent, async ({ c, services, identity, params }) => {
    return c.json(await readConsent(services.database, identity, params.id));
  }),

  endpoint(api.submissions.changeConsent, async ({ c, services, identity, params, body }) => {
    await licenseSubmission(services.database, identity, params.id, body);
    return c.json((await getOwnSubmission(services, identity, params.id)).submission);
  }),
];
