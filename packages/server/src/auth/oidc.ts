/**
 * Sign-in with an OpenID Connect issuer, whose addresses are discovered (OpenID Connect Core and Discovery 1.0). The
 * library checks state, nonce, PKCE, and signature, issuer, audience and times of the ID token.
 */
import { KernelBotError } from "@kernelbot/core";
import type { ClientAuth, Configuration } from "openid-client";
import { groupsIn, type VouchedGroups } from "./group-claim.ts";
import type { AuthorizeOptions, OAuthCallback, OidcProvider, ProviderUser } from "./providers.ts";

/** Timeout of requests to the issuer, in seconds. */
const ANSWER_S = 10;

/** Configuration of each issuer that was reached, for the life of the server. The library fetches new keys by itself. */
const discovered = new WeakMap<OidcProvider, Configuration>();

/**
 * Fetches the issuer's addresses, once. @throws KernelBotError `unavailable` if the issuer cannot be reached or its
 * description is invalid; the next call tries again.
 */
export async function discoverIssuer(provider: OidcProvider): Promise<Configuration> {
  const known = discovered.get(provider);
  if (known !== undefined) return known;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- only for an issuer on loopback, as `providers.ts` checks
  const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await loadClient();
  const { issuer, clientId, clientSecret } = provider;
  const execute = [enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [allowInsecureRequests] : [])];
  try {
    const auth = await clientAuth(clientSecret);
    const found = await discovery(new URL(issuer), clientId, undefined, auth, { execute, timeout: ANSWER_S });
    discovered.set(provider, found);
    return found;
  } catch (error) {
    throw unavailable(provider, error);
  }
}

/** Returns the address at the issuer to which the browser is sent. @throws KernelBotError as `discoverIssuer` does. */
export async function oidcAuthorizeAddress(
  provider: OidcProvider,
  { state, nonce, challenge, redirectUri }: AuthorizeOptions,
): Promise<string> {
  const configuration = await discoverIssuer(provider);
  const { buildAuthorizationUrl } = await loadClient();
  return buildAuthorizationUrl(configuration, {
    ...{ redirect_uri: redirectUri, scope: provider.scope, state, nonce },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  }).href;
}

/**
 * Exchanges an authorization code for the user's identity. The subject contains the issuer, so that another issuer in
 * the configuration cannot sign in to accounts of this one.
 * @throws KernelBotError `unavailable` if the issuer does not respond or its response is invalid.
 */
export async function fetchOidcIdentity(
  provider: OidcProvider,
  { query, redirectUri, state, nonce, verifier }: OAuthCallback,
): Promise<ProviderUser> {
  const { groups, maxHours } = provider;
  const configuration = await discoverIssuer(provider);
  const { authorizationCodeGrant, fetchUserInfo } = await loadClient();
  const url = new URL(redirectUri);
  url.search = new URLSearchParams(query).toString();
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  try {
    const tokens = await authorizationCodeGrant(configuration, url, checks);
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("no ID token");
    const { iss, sub } = claims;
    let profile: Record<string, unknown> = claims;
    const lacks = nameIn(claims) === "" || (groups !== null && claims[groups.claim] === undefined);
    if (lacks && configuration.serverMetadata().userinfo_endpoint !== undefined) {
      // Some issuers, such as those of universities, return the profile only there.
      profile = { ...claims, ...(await fetchUserInfo(configuration, tokens.access_token, sub)) };
    }
    const user = { provider: "oidc", subject: `${iss} ${sub}`, name: nameIn(profile), maxHours } as const;
    return { ...user, groups: readGroups(provider, profile) };
  } catch (error) {
    if (error instanceof KernelBotError) throw error;
    throw rejected(provider, error);
  }
}

/** Returns the user's groups. @throws KernelBotError `unavailable` where they are incomplete; the log says why. */
function readGroups({ label, issuer, groups }: OidcProvider, profile: Record<string, unknown>): VouchedGroups {
  try {
    return groupsIn(profile, groups);
  } catch (error) {
    throw new KernelBotError(
      "unavailable",
      `${label} did not list your groups completely, so you cannot be signed in; ask the operator of this server to read "Groups" in the guide on sign-in`,
      { cause: withoutResponse(issuer, error) },
    );
  }
}

/** Returns the display name, or a user name that is not an e-mail address: it becomes a name on the leaderboards. */
function nameIn(claims: Record<string, unknown>): string {
  const { name, preferred_username: userName } = claims;
  if (typeof name === "string" && !name.includes("@")) return name;
  return typeof userName === "string" && !userName.includes("@") ? userName : "";
}

/** Loading takes 0.1 s, which only servers with an issuer need. */
function loadClient() {
  return import("openid-client");
}

/** Returns how the server proves its identity: by the method that the issuer lists, or the standard's default. */
async function clientAuth(secret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await loadClient();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (issuer, ...rest) => {
    const methods = issuer.token_endpoint_auth_methods_supported ?? [];
    const chosen = methods.includes("client_secret_post") && !methods.includes("client_secret_basic") ? post : basic;
    chosen(issuer, ...rest);
  };
}

function unavailable({ label, issuer }: OidcProvider, error: unknown): KernelBotError {
  return new KernelBotError(
    "unavailable",
    `sign-in with ${label} is not available; try again in a moment, and contact the organiser if the error persists`,
    { cause: withoutResponse(issuer, error) },
  );
}

function rejected({ label, issuer }: OidcProvider, error: unknown): KernelBotError {
  const { error: refusal } = error as { error?: unknown };
  const why =
    typeof refusal === "string" && /^[\w.-]{1,60}$/.test(refusal) ? refusal : "its response is missing or invalid";
  return new KernelBotError(
    "unavailable",
    `${label} did not identify you (${why}); try again, and contact the organiser if the error persists`,
    { cause: withoutResponse(issuer, error) },
  );
}

/** Returns an error of the library as text. Its fields contain responses, with tokens and personal data. */
function withoutResponse(issuer: string, error: unknown): Error {
  const {
    code = "",
    error: refusal = "",
    message,
    cause: inner,
  } = error as Error & { code?: unknown; error?: unknown };
  const detail = inner instanceof Error ? inner.message : "";
  return new Error(`${issuer}: ${[refusal, code, message, detail].filter((part) => part !== "").join(": ")}`);
}
