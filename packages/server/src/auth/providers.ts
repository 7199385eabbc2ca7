/** Identity providers (OAuth 2 and OpenID Connect), configured by environment variables. */
import { KernelBotError, OAuthProviderName, PROVIDER_LABELS, type ProviderName } from "@kernelbot/core";
import { z } from "zod";
import type { VouchedGroups } from "./group-claim.ts";
import { readOidcOptions, type OidcOptions } from "./oidc-options.ts";

/** A provider with which KernelBot is registered as a client. */
export type Provider = OAuthProvider | OidcProvider;

interface Client {
  /** Name that pages and messages show. */
  label: string;
  clientId: string;
  clientSecret: string;
}

/** A provider with addresses and a profile of its own, which `oauth.ts` signs in with. */
export interface OAuthProvider extends Client {
  name: Exclude<OAuthProviderName, "oidc">;
  /** Authorization endpoint. */
  authorizeUrl: string;
  /** Token endpoint. */
  tokenUrl: string;
  /** Endpoint that returns the token owner's profile. */
  userUrl: string;
  /** OAuth scope: only the user's identity. */
  scope: string;
  /** Parses the response of `userUrl`. */
  person: (answer: unknown) => { subject: string; name: string };
}

/** An OpenID Connect issuer, whose addresses are discovered; `oidc.ts` signs in with it. */
export interface OidcProvider extends Client, OidcOptions {
  name: "oidc";
}

/**
 * Confirmed identity: the provider's stable, never reassigned user id (`subject`) with the user's display name, or an
 * e-mail address without a name.
 */
export interface ProviderUser {
  provider: ProviderName;
  subject: string;
  name: string;
  /** Groups, from an OpenID Connect issuer. */
  groups?: VouchedGroups;
  /** Maximum age of the session that begins with this sign-in; by default that of every session. */
  maxHours?: number;
}

/** What a sign-in at a provider begins with. */
export interface AuthorizeOptions {
  state: string;
  nonce: string;
  /** PKCE challenge, method S256. */
  challenge: string;
  redirectUri: string;
}

/** What the provider's redirect brought, and what the sign-in began with. */
export interface OAuthCallback {
  /** Query of the redirect. */
  query: Record<string, string>;
  state: string;
  nonce: string;
  /** PKCE verifier. */
  verifier: string;
  redirectUri: string;
}

type Known = Omit<OAuthProvider, "name" | keyof Client>;

const Text = z.string().min(1).max(255);
const Subject = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const KNOWN: Record<OAuthProvider["name"], Known> = {
  discord: {
    authorizeUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token",
    userUrl: "https://discord.com/api/users/@me",
    scope: "identify",
    person: (answer) => {
      const user = z.object({ id: Subject, username: Text, global_name: Text.nullish() }).parse(answer);
      return { subject: user.id, name: user.global_name ?? user.username };
    },
  },
  github: {
    authorizeUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    userUrl: "https://api.github.com/user",
    scope: "",
    person: (answer) => {
      const user = z.object({ id: z.int().positive(), login: Text }).parse(answer);
      return { subject: String(user.id), name: user.login };
    },
  },
  google: {
    authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    userUrl: "https://openidconnect.googleapis.com/v1/userinfo",
    scope: "openid profile",
    person: (answer) => {
      const user = z.object({ sub: Subject, name: Text.nullish() }).parse(answer);
      return { subject: user.sub, name: user.name ?? "" };
    },
  },
};

/**
 * Returns the configured providers: those with KERNELBOT_GITHUB_CLIENT_ID and KERNELBOT_GITHUB_CLIENT_SECRET, and
 * likewise for the others. KERNELBOT_GITHUB_AUTHORIZE_URL, _TOKEN_URL and _USER_URL select another server, such as
 * GitHub Enterprise. KERNELBOT_OIDC_ISSUER names the issuer of `oidc`.
 * @throws KernelBotError `bad_request` that names every invalid variable.
 */
export function readProviders(env: NodeJS.ProcessEnv): Provider[] {
  const wrong: string[] = [];
  const providers = OAuthProviderName.options.flatMap((name) => {
    const prefix = `KERNELBOT_${name.toUpperCase()}`;
    const needed = [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`, ...(name === "oidc" ? [`${prefix}_ISSUER`] : [])];
    const missing = needed.filter((variable) => !env[variable]);
    if (missing.length === needed.length) return [];
    const others = needed.filter((variable) => !missing.includes(variable)).join(" and ");
    for (const variable of missing) wrong.push(`${variable}: must be set together with ${others}`);
    const [clientId = "", clientSecret = ""] = needed.map((variable) => env[variable]);
    if (name === "oidc") {
      const label = env[`${prefix}_NAME`] || PROVIDER_LABELS[name];
      return { name, label, clientId, clientSecret, ...readOidcOptions(env, prefix, wrong) };
    }
    const address = (variable: string, known: string): string => {
      const url = env[`${prefix}_${variable}`] || known;
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        wrong.push(`${prefix}_${variable}: must be an http or https URL`);
      return url;
    };
    const known = KNOWN[name];
    return {
      ...known,
      ...{ name, label: PROVIDER_LABELS[name], clientId, clientSecret },
      authorizeUrl: address("AUTHORIZE_URL", known.authorizeUrl),
      tokenUrl: address("TOKEN_URL", known.tokenUrl),
      userUrl: address("USER_URL", known.userUrl),
    };
  });
  if (wrong.length > 0) throw new KernelBotError("bad_request", wrong.join("; "));
  return providers;
}
