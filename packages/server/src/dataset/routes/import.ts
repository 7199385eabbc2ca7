/** API endpoint that imports data of competitions that ended on another system. */
import { api } from "@kernelbot/api";
import { ImportResult } from "@kernelbot/core";
import { importBatch } from "../import/import.ts";
import { endpoint } from "../../http/endpoint.ts";

export const importEndpoints = [
  endpoint(api.datasets.import, async ({ c, services, identity, body }) => {
    return c.json<ImportResult>(await importBatch(services.database, identity, body));
  }),
];
