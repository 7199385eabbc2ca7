import { Person } from "@kernelbot/core";
import { personPage } from "@kernelbot/web";
import type { Hono } from "hono";
import { z } from "zod";
import { readPerson } from "../boards/person.ts";
import { viewerOf } from "./auth.ts";
import { endpoint } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { validated } from "./input.ts";
import { visitOf } from "./visit.ts";

/** An account's id never changes, unlike its name. */
const PersonAddress = z.object({ id: z.string().min(1).max(200) });

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

export function mountPersonPage(app: Hono<HttpEnv>, faces: Faces): void {
  app.get("/people/:id", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { id } = validated(PersonAddress, c.req.param());
    const viewer = await viewerOf(c, faces);
    const person = await readPerson(faces.database, viewer, id);
    return c.html(await personPage({ person, visit: visitOf(c, faces, viewer) }));
  });
}
