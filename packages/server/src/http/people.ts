import { Person } from "@kernelbot/core";
import { z } from "zod";
import { readPerson } from "../boards/person.ts";
import { viewerOf } from "./auth.ts";
import { endpoint } from "./endpoint.ts";

/** The id of an account is a text that never changes; names do. */
export const PersonAddress = z.object({ id: z.string().min(1).max(200) });

export const personEndpoints = [
  endpoint({
    method: "get",
    path: "/accounts/{id}",
    summary: "A person: the boards, records, teams and activity that the caller may know of",
    scope: null,
    params: PersonAddress,
    answers: { 200: { description: "As it stands now", schema: Person } },
    async handle({ c, faces, params }) {
      const viewer = await viewerOf(c, faces);
      return c.json(await readPerson(faces.database, viewer, params.id), 200, {
        "cache-control": "private, no-cache",
      });
    },
  }),
];
