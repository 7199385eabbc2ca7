import { Person } from "@kernelbot/core";
import { personPage } from "@kernelbot/web";
import { z } from "zod";
import { readPerson } from "../profile.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { page, type PageRoute } from "../../http/page.ts";

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

export const personPages: readonly PageRoute[] = [
  page({
    path: "/people/:id",
    access: "viewer",
    params: PersonAddress,
    async handle({ services, params, identity, visit }) {
      return personPage({ person: await readPerson(services.database, identity, params.id), visit });
    },
  }),
];
