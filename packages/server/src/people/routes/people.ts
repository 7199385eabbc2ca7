import { api } from "@kernelbot/api";
import { personPage } from "@kernelbot/web";
import { readPerson } from "../profile.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { page, type PageRoute } from "../../http/page.ts";

export const personEndpoints = [
  endpoint(api.people.get, async ({ c, services, params }) => {
    const viewer = await viewerOf(c, services);
    return c.json(await readPerson(services.database, viewer, params.id), 200, {
      "cache-control": "private, no-cache",
    });
  }),
];

export const personPages: readonly PageRoute[] = [
  page({
    path: "/people/:id",
    access: "viewer",
    params: api.people.get.params,
    async handle({ services, params, identity, visit }) {
      return personPage({ person: await readPerson(services.database, identity, params.id), visit });
    },
  }),
];
