/** API endpoint that imports data of competitions that ended on another system. */
import { ImportResult, ImportBatch } from "@kernelbot/core";
import { importBatch } from "../import/import.ts";
import { endpoint } from "../../http/endpoint.ts";

export const importEndpoints = [
  endpoint({
    method: "post",
    path: "/datasets/import",
    summary: "Import a batch of rows of a competition that ended on another system (idempotent)",
    scope: "admin",
    role: "administrator",
    body: ImportBatch,
    answers: {
      200: { description: "Imported now or by an earlier identical batch", schema: ImportResult },
      409: { description: "The competition or a problem exists and differs" },
    },
    async handle({ c, services, identity, body }) {
      return c.json<ImportResult>(await importBatch(services.database, identity, body));
    },
  }),
];
