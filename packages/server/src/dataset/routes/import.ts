/** API endpoint that imports data of competitions that ended on another system. */
import { ImportResult, ImportBatch } from "@kernelbot/core";
import { importBatch } from "../import/import.ts";
import { endpoint } from "../../http/endpoint.ts";

export const importEndpoints = [
  endpoint({
    method: "post",
    path: "/datasets/import",
    summary: "Import rows of a competition that ended elsewhere; a batch sent again changes nothing",
    scope: "admin",
    role: "administrator",
    body: ImportBatch,
    answers: {
      200: { description: "They are there, perhaps since long ago", schema: ImportResult },
      409: { description: "The competition or a problem is there already and is another" },
    },
    async handle({ c, services, identity, body }) {
      return c.json<ImportResult>(await importBatch(services.database, identity, body));
    },
  }),
];
