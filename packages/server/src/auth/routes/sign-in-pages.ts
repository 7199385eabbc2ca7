/** Sign-in pages: by a provider, by a link, and sign-out. */
import { KernelBotError, OAuthProviderName, PROVIDER_LABELS, quote } from "@kernelbot/core";
import { continuePage, signInLinkPage, signInPage } from "@kernelbot/web";
import type { Context } from "hono";
import { z } from "zod";
import { linkIdentity, signIn } from "../identities.ts";
import { followLink, readSignInLink } from "../sign-in-links.ts";
import { authorizeAddress, fetchIdentity } from "../oauth.ts";
import { beginOAuth, endOAuth } from "../oauth-states.ts";
import type { Provider } from "../providers.ts";
import { endSession, type Browser } from "../sessions.ts";
import {
  dropCookie,
  OAUTH_COOKIE,
  readCookie,
  SESSION_COOKIE,
  sessionOf,
  startSession,
  writeCookie,
} from "../../http/cookies.ts";
import { signInMethodsOf } from "../../http/site.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { validated } from "../../http/input.ts";
import { addressOf, localPath, originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

const LinkToken = z.object({ token: z.string().max(100) });

/** Query of the provider's redirect. */
const CameBack = z.union([
  z.object({ state: z.string().max(100), code: z.string().min(1).max(4000) }),
  z.object({ error: z.string().max(200) }),
]);

/** Part of a path that names a configured provider. */
export const PROVIDER = `:provider{${OAuthProviderName.options.join("|")}}`;

/** The page of the sign-in methods, which is shown again if the form for an e-mail address is rejected. */
export const signInFormPage = page({
  path: "/sign-in",
  access: "viewer",
  cacheControl: "no-store",
  async handle({ c, services, rejected }) {
    return signInPage({
      methods: signInMethodsOf(services.site),
      next: localPath(rejected?.typed.get("next") ?? c.req.query("next")),
      email: rejected?.typed.get("email") ?? undefined,
      problem: rejected?.problem,
      visit: visitOf(c, services, await sessionOf(c, services)),
    });
  },
});

export const signInPages: readonly PageRoute[] = [
  signInFormPage,

  form({
    path: `/sign-in/${PROVIDER}`,
    access: "anyone",
    fields: z.object({ next: z.string().max(500).optional() }),
    handle: ({ c, services, fields: { next } }) => toProvider(c, services, { next: localPath(next), accountId: null }),
  }),

  page({
    path: `/sign-in/${PROVIDER}/callback`,
    access: "anyone",
    cacheControl: "no-store",
    async handle({ c, services }) {
      const { database } = services;
      const provider = providerOf(c, services);
      const answer = validated(CameBack, c.req.query());
      if ("error" in answer) throw deniedError(provider, answer.error);
      const { state } = answer;
      const browserSecret = readCookie(c, services, OAUTH_COOKIE) ?? "";
      dropCookie(c, services, OAUTH_COOKIE);
      const { accountId, next, ...started } = await endOAuth(database, provider.name, state, browserSecret);
      const redirectUri = callbackOf(c, services, provider);
      // To link an identity, the browser must still be signed in as the account that began.
      const linking = accountId === null ? null : await sessionOf(c, services);
      if (accountId !== null && linking?.account.id !== accountId) {
        throw new KernelBotError(
          "forbidden",
          "you are no longer signed in to the account that started linking; sign in and start again",
        );
      }
      const vouched = await fetchIdentity(provider, { query: c.req.query(), state, redirectUri, ...started });
      if (linking === null) await startSession(c, services, await signIn(database, vouched, browserOf(c, services)));
      else await linkIdentity(database, linking, vouched);
      return c.redirect(next, 303);
    },
  }),

  // Link previews and prefetches only send GET, so the button's POST uses the link.
  page({
    path: "/sign-in/link",
    access: "anyone",
    query: LinkToken,
    cacheControl: "no-store",
    async handle({ c, services, query: { token } }) {
      const { name } = await readSignInLink(services.database, token);
      return signInLinkPage({ name, token, visit: visitOf(c, services, await sessionOf(c, services)) });
    },
  }),

  form({
    path: "/sign-in/link",
    access: "anyone",
    fields: LinkToken,
    handle: async ({ c, services, fields: { token } }) =>
      startSession(c, services, await followLink(services.database, token, browserOf(c, services))),
    redirectTo: () => "/",
  }),

  form({
    path: "/sign-out",
    access: "anyone",
    async handle({ c, services }) {
      const viewer = await sessionOf(c, services);
      if (viewer?.sessionId != null) await endSession(services.database, viewer, viewer.sessionId);
      dropCookie(c, services, SESSION_COOKIE);
      return "/";
    },
  }),
];

/**
 * Redirects the browser to the provider in the path. With `accountId`, the provider's identity will be linked to that
 * account; with null, it signs in.
 */
export async function toProvider(
  c: Context<HttpEnv>,
  services: Services,
  { next, accountId }: { next: string; accountId: string | null },
): Promise<Response> {
  const provider = providerOf(c, services);
  const address = addressOf(c, services.site);
  const started = await beginOAuth(services.database, { provider: provider.name, accountId, next, address });
  const redirectUri = callbackOf(c, services, provider);
  const url = await authorizeAddress(provider, { ...started, redirectUri });
  writeCookie(c, services, OAUTH_COOKIE, started.browserSecret);
  if (provider.name !== "oidc") return c.redirect(url, 303);
  // Issuers redirect to other hosts, which `form-action` would have to list if this were a redirect of a form.
  c.header("refresh", `0; url=${url}`);
  return c.html(await continuePage({ label: provider.label, url, visit: visitOf(c, services, null) }));
}

function providerOf(c: Context<HttpEnv>, { site }: Services): Provider {
  const name = OAuthProviderName.parse(c.req.param("provider"));
  const provider = site.providers.find((known) => known.name === name);
  if (provider === undefined) {
    throw new KernelBotError(
      "not_found",
      `${PROVIDER_LABELS[name]} is not configured on this server; /sign-in lists the available providers`,
    );
  }
  return provider;
}

/**
 * Returns the redirect URI, which is different for each provider, so that one provider's response cannot be taken for
 * another's.
 */
function callbackOf(c: Context<HttpEnv>, { site }: Services, { name }: Provider): string {
  return `${originOf(c, site)}/sign-in/${name}/callback`;
}

/** Returns the address and user agent of the browser. */
export function browserOf(c: Context<HttpEnv>, { site }: Services): Browser {
  return { address: addressOf(c, site), userAgent: c.req.header("user-agent") ?? "" };
}

function deniedError({ label: where }: Provider, error: string): KernelBotError {
  if (error === "access_denied")
    return new KernelBotError("forbidden", `You denied access at ${where}; nothing was changed.`);
  return new KernelBotError(
    "bad_request",
    `${where} refused: ${quote(error)}. Try again, and contact the organiser if the error persists.`,
  );
}
