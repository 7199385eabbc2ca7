/** The HTTP application: every route as one function from request to response. `listen.ts` binds it to a socket. */
import type { Contract } from "@kernelbot/api";
import { openApiDocument } from "@kernelbot/api/openapi";
import { loadAssets } from "@kernelbot/web";
import { Hono } from "hono";
import type { Feature } from "./feature.ts";
import { FEATURES } from "./features.ts";
import { limitBody } from "./http/body-limit.ts";
import { compressPages } from "./http/compress.ts";
import { handleErrors } from "./http/errors.ts";
import { secureHeaders } from "./http/headers.ts";
import { limitClients } from "./http/limit-clients.ts";
import { measureRequests } from "./http/measure.ts";
import { openPictures } from "./http/pictures.ts";
import { sharedReads } from "./live/routes/shared-reads.ts";
import { mountHealth } from "./operations/routes/health.ts";
import type { AppResources, HttpEnv, Services } from "./services.ts";

/**
 * Creates the app of features from its open dependencies (database, stores, keys, limits).
 * @throws when the site's client script does not compile.
 */
export async function createApp(
  resources: AppResources,
  features: readonly Feature[] = FEATURES,
): Promise<Hono<HttpEnv>> {
  for (const { connect } of features) connect?.(resources);
  const assets = await loadAssets();
  const pictures = openPictures(assets);
  const switchedOff = new Set(FEATURES.filter((each) => !features.includes(each)).map(({ name }) => name));
  const reads = sharedReads(resources.database);
  const services: Services = { ...resources, assets, pictures, reads, features, switchedOff };
  // Built on first use: it takes 50 ms, and few servers are asked for it.
  let document: string | undefined;
  const apiDocument = () => (document ??= JSON.stringify(openApiDocument(contractsOf(features))));
  const app = new Hono<HttpEnv>();
  const routes = features.flatMap(({ pages = [] }) => pages);
  const framed = new Set(routes.flatMap(({ isFramed, path }) => (isFramed ? [path] : [])));
  app.use(secureHeaders(resources.site, framed), measureRequests(resources.log), limitClients(services));
  for (const endpoint of features.flatMap(({ endpoints = [] }) => endpoints)) endpoint.mount(app, services);
  app.get("/api/v1/openapi.json", (c) => c.body(apiDocument(), 200, { "content-type": "application/json" }));
  mountHealth(app, services.health);
  app.use(compressPages);
  for (const route of routes) {
    if (route.method !== "get") app.on(route.method.toUpperCase(), route.path, limitBody(route.bodyLimit));
    route.mount(app, services);
  }
  handleErrors(app, services);
  return app;
}

/** Returns the contracts of the endpoints of features. */
export function contractsOf(features: readonly Feature[]): Contract[] {
  return features.flatMap(({ endpoints = [] }) => endpoints).map(({ contract }) => contract);
}
