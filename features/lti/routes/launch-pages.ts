/** The addresses that learning platforms and the browsers of their users call. */
import { launchFramePage, launchPage } from "../pages/launch.ts";
import type { Context } from "hono";
import { z } from "zod";
import { browserOf } from "@kernelbot/server/src/auth/routes/sign-in-pages.ts";
import { readCookie, type Cookie, sessionOf, startSession, writeCookie } from "@kernelbot/server/src/http/cookies.ts";
import { validated } from "@kernelbot/server/src/http/input.ts";
import { addressOf, originOf } from "@kernelbot/server/src/http/origin.ts";
import { visitOf } from "@kernelbot/server/src/http/page-context.ts";
import { form, page, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import type { HttpEnv, Services } from "@kernelbot/server/src/services.ts";
import { isDeepLinkRequest } from "../claims.ts";
import { acceptDeepLink } from "../deep-link.ts";
import { signOf, toolKey } from "../key.ts";
import { acceptLaunch, continueLaunch, readLaunch } from "../launch.ts";
import { beginLaunch, LAUNCH_S, verifyMessage } from "../login.ts";
import { ltiAddresses } from "./addresses.ts";

const Word = z.string().max(2000);
/** Third-party initiated login (OpenID Connect Core 4 with the parameters of LTI). */
const Login = z.object({
  iss: Word,
  login_hint: Word,
  target_link_uri: Word.optional(),
  client_id: Word.optional(),
  lti_deployment_id: Word.optional(),
  lti_message_hint: Word.optional(),
});

/** Identifies the browser that began a launch. */
const LAUNCH_COOKIE: Cookie = { name: "lti", lifetimeS: LAUNCH_S };

/** Path of a launch, which ends in its secret. */
const CONTINUE = "/lti/continue/:secret{[A-Za-z0-9_-]{43}}";
const Secret = z.object({ secret: z.string() });

const chosen = page({
  path: CONTINUE,
  access: "viewer",
  params: Secret,
  cacheControl: "no-store",
  async handle({ c, services, params: { secret }, rejected }) {
    const session = await sessionOf(c, services);
    const launch = await readLaunch(services.database, secret, readCookie(c, services, LAUNCH_COOKIE));
    const { account, isOwnBrowser } = launch;
    // Without one of these, another site could have sent the browser here, to sign it in to an account of its own.
    if (account !== null && (isOwnBrowser || session?.account.id === account.id)) {
      return c.redirect(await endLaunch(c, services, secret, ""), 303);
    }
    return launchPage({
      ...launch,
      path: `/lti/continue/${secret}`,
      userName: launch.name,
      mayLink: isOwnBrowser,
      name: rejected?.typed.get("name") ?? "",
      problem: rejected?.problem,
      visit: visitOf(c, services, session),
    });
  },
});

export const launchPages: readonly PageRoute[] = [
  page({
    path: "/lti/jwks",
    access: "anyone",
    async handle({ c, services }) {
      const { publicKey, kid } = await toolKey(services.database, signOf(services));
      return c.json({ keys: [{ ...publicKey, kid, use: "sig", alg: "RS256" }] });
    },
  }),

  ...(["get", "post"] as const).map((method) =>
    platformRoute(method, "/lti/login", async (c, services) => {
      const values = method === "get" ? c.req.query() : Object.fromEntries(new URLSearchParams(await c.req.text()));
      const { iss, client_id: clientId, lti_deployment_id: deployment, ...hints } = validated(Login, values);
      const sent = { login_hint: hints.login_hint, lti_message_hint: hints.lti_message_hint };
      const { url, browserSecret } = await beginLaunch(
        services.database,
        signOf(services),
        { issuer: iss, clientId, deployment, hints: definedOnly(sent) },
        { launchUrl: ltiAddresses(originOf(c, services.site)).launchUrl, address: addressOf(c, services.site) },
      );
      writeCookie(c, services, LAUNCH_COOKIE, browserSecret);
      return c.redirect(url, 303);
    }),
  ),

  platformRoute("post", "/lti/launch", async (c, services) => {
    const posted = new URLSearchParams(await c.req.text());
    const message = await verifyMessage(services.database, signOf(services), posted);
    const isFramed = /^(i?frame)$/.test(c.req.header("sec-fetch-dest") ?? "");
    if (isDeepLinkRequest(message.claims)) {
      const secret = await acceptDeepLink(services.database, message, isFramed);
      return c.redirect(`/lti/deep-link/${secret}${isFramed ? "/response" : ""}`, 303);
    }
    const path = `/lti/continue/${await acceptLaunch(services.database, message)}`;
    if (!isFramed) return c.redirect(path, 303);
    return c.html(await launchFramePage({ path, visit: visitOf(c, services, null) }));
  }),

  chosen,

  form({
    path: CONTINUE,
    access: "anyone",
    on: chosen,
    fields: z.object({ name: z.string().trim().max(200).default("") }),
    handle: ({ c, services, params: { secret }, fields: { name } }) => endLaunch(c, services, secret, name),
  }),
];

/** Continues to the course, or the assignment of the activity. @returns its path. */
async function endLaunch(c: Context<HttpEnv>, services: Services, secret: string, name: string): Promise<string> {
  const { competition, problem, session } = await continueLaunch(
    services.database,
    secret,
    {
      by: await sessionOf(c, services),
      browserSecret: readCookie(c, services, LAUNCH_COOKIE),
      browser: browserOf(c, services),
    },
    name,
  );
  if (session !== null) await startSession(c, services, session);
  return problem === null ? `/competitions/${competition}/course` : `/problems/${problem}`;
}

/**
 * A route that a platform makes a browser call, often within a frame of its pages. What it shows, an error or a link out of
 * the frame, does nothing for the user who clicks on it.
 */
function platformRoute(
  method: "get" | "post",
  path: string,
  handle: (c: Context<HttpEnv>, services: Services) => Promise<Response>,
): PageRoute {
  return {
    ...{ method, path, access: "anyone", isFramed: true },
    mount(app, services) {
      app.on(method.toUpperCase(), path, (c) => {
        c.header("cache-control", "no-store");
        return handle(c, services);
      });
    },
  };
}

function definedOnly(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
