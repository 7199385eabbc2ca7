/** API endpoint that publishes snapshots to external services. */
import { Publication, PublicationDestination } from "@kernelbot/core";
import { requestPublication } from "../publish/publications.ts";
import { endpoint, Id } from "../../http/endpoint.ts";

export const publicationEndpoints = [
  endpoint({
    method: "post",
    path: "/datasets/{id}/publications/{place}",
    summary: "Publish a snapshot at a place outside, as soon as it is made; or go on where that failed",
    scope: "admin",
    role: "administrator",
    params: Id.extend({ place: PublicationDestination }),
    answers: {
      202: { description: "It waits, is under way, or is done", schema: Publication },
      409: { description: "It could not be made, its files are deleted, or a newer one is published there" },
    },
    async handle({ c, services, identity, params: { id, place } }) {
      return c.json(await requestPublication(services.database, identity, id, place), 202);
    },
  }),
];
