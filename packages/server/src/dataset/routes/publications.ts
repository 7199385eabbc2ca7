/** API endpoint that publishes snapshots to external services. */
import { api } from "@kernelbot/api";
import { requestPublication } from "../publish/publications.ts";
import { endpoint } from "../../http/endpoint.ts";

export const publicationEndpoints = [
  endpoint(api.datasets.publish, async ({ c, services, identity, params: { id, destination } }) => {
    return c.json(await requestPublication(services.database, identity, id, destination), 202);
  }),
];
