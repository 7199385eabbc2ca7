/** The page of the learning platforms, for administrators, and the address at which a platform registers itself. */
import { LtiPlatformRequest, LtiRegistrationRequest, type LtiRegistrationLink } from "../messages.ts";
import { registeredPage } from "../pages/launch.ts";
import { learningPlatformsPage, type PlatformFields } from "../pages/learning-platforms.ts";
import { z } from "zod";
import { validated } from "@kernelbot/server/src/http/input.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import { doneQuery, form, page, type PageCall, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import { listPlatforms, removePlatform, setPlatform } from "../platforms.ts";
import { createRegistration, registerAtPlatform } from "../registration.ts";
import { ltiAddresses, registrationUrl } from "./addresses.ts";

const PATH = "/admin/learning-platforms";
const DONE = { saved: "Platform saved.", removed: "Platform removed, and its links revoked." } as const;
const Query = doneQuery(DONE).extend({ change: z.coerce.number().int().optional().catch(undefined) });
type Call = PageCall<PageCall["identity"], unknown, z.infer<typeof Query>>;

const platforms = page({ path: PATH, access: "administrator", query: Query, handle: (call) => render(call) });

async function render(call: Call, created?: LtiRegistrationLink): Promise<string> {
  const { c, services, identity, query, visit, rejected } = call;
  const all = await listPlatforms(services.database, identity);
  const changed = all.find(({ id }) => id === query.change);
  const values: Partial<PlatformFields> | undefined = changed && {
    ...changed,
    deployments: changed.deployments.join(", "),
  };
  return learningPlatformsPage({
    ...{ visit, platforms: all, created, addresses: ltiAddresses(originOf(c, services.site)) },
    values: rejected === undefined ? values : Object.fromEntries(rejected.typed),
    outcome: { done: query.done && DONE[query.done], problem: rejected?.problem },
  });
}

const text = z.string().trim();

export const platformPages: readonly PageRoute[] = [
  platforms,

  form({
    path: PATH,
    on: platforms,
    fields: z.object({
      ...{ name: text, issuer: text, clientId: text, deployments: text },
      ...{ authorizeUrl: text, tokenUrl: text, jwksUrl: text },
    }),
    handle({ services, identity, fields }) {
      const deployments = fields.deployments.split(",").filter((each) => each.trim() !== "");
      return setPlatform(services.database, identity, validated(LtiPlatformRequest, { ...fields, deployments }));
    },
    redirectTo: () => `${PATH}?done=saved`,
  }),

  form({
    path: `${PATH}/remove`,
    on: platforms,
    fields: z.object({ id: z.coerce.number().int() }),
    handle: ({ services, identity, fields: { id } }) => removePlatform(services.database, identity, id),
    redirectTo: () => `${PATH}?done=removed`,
  }),

  form({
    path: `${PATH}/registration`,
    on: platforms,
    fields: z.object({ name: text, address: text }),
    async handle(call) {
      const { c, services, identity, fields } = call;
      const request = validated(LtiRegistrationRequest, fields);
      const { secret, host, expiresAt } = await createRegistration(services.database, identity, request);
      return c.html(await render(call, { url: registrationUrl(originOf(c, services.site), secret), host, expiresAt }));
    },
  }),

  page({
    path: "/lti/register",
    access: "anyone",
    isFramed: true,
    query: z.object({
      token: z.string().max(200),
      openid_configuration: z.string().max(2000),
      registration_token: z.string().max(10_000).optional(),
    }),
    cacheControl: "no-store",
    async handle(call) {
      const { c, services, query } = call;
      const addresses = ltiAddresses(originOf(c, services.site));
      const { name, deployments } = await registerAtPlatform(
        services.database,
        {
          ...{ secret: query.token, configurationUrl: query.openid_configuration },
          token: query.registration_token,
        },
        { name: `KernelBot (${new URL(addresses.launchUrl).host})`, addresses },
        { allowPrivate: services.privateWebhooks },
      );
      return registeredPage({ visit: call.visit, platform: name, hasDeployment: deployments.length > 0 });
    },
  }),
];
