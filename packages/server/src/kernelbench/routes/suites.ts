/** API endpoints for suites, and for checking a submission file against one. */
import { api } from "@kernelbot/api";
import { checkFile } from "../check-file.ts";
import { listSuites, putSuite, readSuite } from "../suites.ts";
import { networkOf, throttle, type Limit } from "../../auth/rate-limits.ts";
import { endpoint } from "../../http/endpoint.ts";
import { requireMediaType } from "../../http/input.ts";
import { addressOf } from "../../http/origin.ts";

/** Limit of file checks per network; the endpoint needs no account and accepts megabytes. */
const CHECKS: Limit = { times: 20, windowS: 60, what: "to check a file" };

export const suiteEndpoints = [
  endpoint(api.kernelbench.suites, async ({ c, services }) => {
    return c.json({ suites: await listSuites(services.database) });
  }),

  endpoint(api.kernelbench.suite, async ({ c, services, params, query }) => {
    return c.json(await readSuite(services.database, params.suite, query.version));
  }),

  endpoint(api.kernelbench.putSuite, async ({ c, services, identity, body }) => {
    return c.json(await putSuite(services.database, identity, body));
  }),

  endpoint(api.kernelbench.validate, async ({ c, services, query }) => {
    await throttle(services.database, "entry check", networkOf(addressOf(c, services.site)), CHECKS);
    requireMediaType(c, ["application/json"]);
    const suite = await readSuite(services.database, query.suite);
    return c.json((await checkFile(new Uint8Array(await c.req.arrayBuffer()), suite)).check);
  }),
];
