/** API endpoints about learning platforms. */
import { ltiContracts } from "../contract.ts";
import { endpoint } from "@kernelbot/server/src/http/endpoint.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import { signOf } from "../key.ts";
import { createLink, readCourseLti, revokeLink } from "../links.ts";
import { listPlatforms, removePlatform, setPlatform } from "../platforms.ts";
import { createRegistration } from "../registration.ts";
import { importPlatformRoster } from "../roster.ts";
import { sendGradesNow } from "../scores.ts";
import { ltiAddresses, registrationUrl } from "./addresses.ts";

/** The reports contain names and grades, which no cache may keep. */
const PRIVATE = { "cache-control": "private, no-store" };

export const ltiEndpoints = [
  endpoint(ltiContracts.platforms, async ({ c, services, identity }) =>
    c.json({
      addresses: ltiAddresses(originOf(c, services.site)),
      platforms: await listPlatforms(services.database, identity),
    }),
  ),

  endpoint(ltiContracts.setPlatform, async ({ c, services, identity, body }) =>
    c.json(await setPlatform(services.database, identity, body)),
  ),

  endpoint(ltiContracts.removePlatform, async ({ c, services, identity, params }) => {
    await removePlatform(services.database, identity, params.id);
    return c.body(null, 204);
  }),

  endpoint(ltiContracts.createRegistration, async ({ c, services, identity, body }) => {
    const { secret, host, expiresAt } = await createRegistration(services.database, identity, body);
    return c.json({ url: registrationUrl(originOf(c, services.site), secret), host, expiresAt }, 200, PRIVATE);
  }),

  endpoint(ltiContracts.course, async ({ c, services, identity, params }) =>
    c.json(await readCourseLti(services.database, identity, params.name), 200, PRIVATE),
  ),

  endpoint(ltiContracts.createLink, async ({ c, services, identity, params, body }) => {
    const { id, problem, secret } = await createLink(services.database, identity, params.name, body);
    const addresses = ltiAddresses(originOf(c, services.site));
    return c.json({ id, problem, parameter: `kernelbot=${secret}`, addresses }, 200, PRIVATE);
  }),

  endpoint(ltiContracts.revokeLink, async ({ c, services, identity, params }) => {
    await revokeLink(services.database, identity, params.name, params.id);
    return c.body(null, 204);
  }),

  endpoint(ltiContracts.importRoster, async ({ c, services, identity, params }) =>
    c.json(await importPlatformRoster(services.database, signOf(services), identity, params.name), 200, PRIVATE),
  ),

  endpoint(ltiContracts.sendGrades, async ({ c, services: { database }, identity, params: { name } }) => {
    await sendGradesNow(database, identity, name);
    return c.json(await readCourseLti(database, identity, name), 200, PRIVATE);
  }),
];
