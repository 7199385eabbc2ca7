import { Person } from "@kernelbot/core";
import { personPage } from "@kernelbot/web";
import type { Hono } from "hono";
import { z } from "zod";
import { readPerson } from "../profile.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { validated } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

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
    async handle({ c, services, params }) {
      const viewer = await viewerOf(c, services);
      return c.json(await readPerson(services.database, viewer, params.id), 200, {
        "cache-control": "private, no-cache",
      });
    },
  }),
];

export function mountPersonPage(app: Hono<HttpEnv>, services: Services): void {
  app.get("/people/:id", async (c) => {
    c.header("cache-control", "private, no-cache");
    const { id } = validated(PersonAddress, c.req.param());
    const viewer = await viewerOf(c, services);
    const person = await readPerson(services.database, viewer, id);
    return c.html(await personPage({ person, visit: visitOf(c, services, viewer) }));
  });
}
