/** API endpoint that publishes snapshots to external services. */
import { Publication, PublicationDestination } from "@kernelbot/core";
import { requestPublication } from "../publish/publications.ts";
import { endpoint, Id } from "../../http/endpoint.ts";

export const publicationEndpoints = [
  endpoint({
    method: "post",
    path: "/datasets/{id}/publications/{place}",
    summary: "Publish a snapshot to an external destination, or retry a failed publication",
    scope: "admin",
    role: "administrator",
    params: Id.extend({ place: PublicationDestination }),
    answers: {
      202: { description: "Publication waiting, uploading or done", schema: Publication },
      409: { description: "The snapshot failed, its files were deleted, or a newer one is published there" },
    },
    async handle({ c, services, identity, params: { id, place } }) {
      return c.json(await requestPublication(services.database, identity, id, place), 202);
    },
  }),
];
