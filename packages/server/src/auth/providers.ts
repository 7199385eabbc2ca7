/** Identity providers (OAuth 2), configured by environment variables. */
import { KernelBotError, OAuthProviderName, type ProviderName } from "@kernelbot/core";
import { z } from "zod";

/** A provider with which KernelBot is registered as a client. */
export interface Provider {
  name: OAuthProviderName;
  clientId: string;
  clientSecret: string;
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

/**
 * Confirmed identity: the provider's stable, never reassigned user id (`subject`) with the user's display name, or an
 * e-mail address without a name.
 */
export interface ProviderUser {
  provider: ProviderName;
  subject: string;
  name: string;
}

type Known = Omit<Provider, "name" | "clientId" | "clientSecret">;

const Text = z.string().min(1).max(255);
const Subject = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const KNOWN: Record<OAuthProviderName, Known> = {
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
 * GitHub Enterprise.
 * @throws KernelBotError `bad_request` that names every invalid variable.
 */
export function readProviders(env: NodeJS.ProcessEnv): Provider[] {
  const wrong: string[] = [];
  const providers = OAuthProviderName.options.flatMap((name) => {
    const prefix = `KERNELBOT_${name.toUpperCase()}`;
    const clientId = env[`${prefix}_CLIENT_ID`];
    const clientSecret = env[`${prefix}_CLIENT_SECRET`];
    if (!clientId && !clientSecret) return [];
    if (!clientId) wrong.push(`${prefix}_CLIENT_ID: must be set together with ${prefix}_CLIENT_SECRET`);
    if (!clientSecret) wrong.push(`${prefix}_CLIENT_SECRET: must be set together with ${prefix}_CLIENT_ID`);
    const address = (variable: string, known: string): string => {
      const url = env[`${prefix}_${variable}`] || known;
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        wrong.push(`${prefix}_${variable}: must be an http or https URL`);
      return url;
    };
    const known = KNOWN[name];
    return {
      ...known,
      name,
      clientId: clientId ?? "",
      clientSecret: clientSecret ?? "",
      authorizeUrl: address("AUTHORIZE_URL", known.authorizeUrl),
      tokenUrl: address("TOKEN_URL", known.tokenUrl),
      userUrl: address("USER_URL", known.userUrl),
    };
  });
  if (wrong.length > 0) throw new KernelBotError("bad_request", wrong.join("; "));
  return providers;
}
