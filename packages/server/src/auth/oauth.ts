/** OAuth 2 authorization code flow (RFC 6749) with PKCE (RFC 7636). */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { fetchOidcIdentity, oidcAuthorizeAddress } from "./oidc.ts";
import type { AuthorizeOptions, OAuthCallback, OAuthProvider, Provider, ProviderUser } from "./providers.ts";

/** Timeout of requests to a provider, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Returns the provider's authorization URL. @throws KernelBotError `unavailable` if it must be discovered and the
 * provider does not respond.
 */
export async function authorizeAddress(provider: Provider, options: AuthorizeOptions): Promise<string> {
  if (provider.name === "oidc") return oidcAuthorizeAddress(provider, options);
  const { authorizeUrl, clientId, scope } = provider;
  const url = new URL(authorizeUrl);
  url.searchParams.set("response_type", "code");
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("redirect_uri", options.redirectUri);
  if (scope !== "") url.searchParams.set("scope", scope);
  url.searchParams.set("state", options.state);
  url.searchParams.set("code_challenge", options.challenge);
  url.searchParams.set("code_challenge_method", "S256");
  return url.href;
}

const TokenAnswer = z.object({ access_token: z.string().min(1) });
const Refusal = z.object({ error: z.string().regex(/^[\w.-]{1,60}$/) });

/**
 * Exchanges an authorization code for the user's identity. The provider's access token is used for this one request and
 * not stored.
 * @throws KernelBotError `unavailable` if the provider does not respond or returns no identity.
 */
export async function fetchIdentity(provider: Provider, callback: OAuthCallback): Promise<ProviderUser> {
  if (provider.name === "oidc") return fetchOidcIdentity(provider, callback);
  const { query, verifier, redirectUri } = callback;
  const { name, clientId, clientSecret, tokenUrl, userUrl, person } = provider;
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: query.code ?? "",
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
    code_verifier: verifier,
  });
  // GitHub reports errors with status 200 and an `error` field.
  const { access_token } = parseResponse(
    provider,
    TokenAnswer,
    await fetchJson(provider, tokenUrl, { method: "POST", body }),
  );
  const user = await fetchJson(provider, userUrl, { headers: { authorization: `Bearer ${access_token}` } });
  try {
    return { provider: name, ...person(user) };
  } catch (error) {
    throw providerError(provider, "its response contains no user", error);
  }
}

async function fetchJson(provider: OAuthProvider, url: string, init: RequestInit): Promise<unknown> {
  const headers = new Headers(init.headers);
  headers.set("accept", "application/json");
  headers.set("user-agent", "kernelbot");
  let body: string;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    body = await (await fetch(url, { ...init, headers, signal, redirect: "error" })).text();
  } catch (error) {
    throw new KernelBotError("unavailable", `${provider.label} is not responding; try again in a moment`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(body);
  } catch {
    // The parser's message quotes part of the response, which may contain a secret.
    return undefined;
  }
}

function parseResponse<Shape extends z.ZodType>(
  provider: OAuthProvider,
  shape: Shape,
  answer: unknown,
): z.infer<Shape> {
  const result = shape.safeParse(answer);
  if (result.success) return result.data;
  const refusal = Refusal.safeParse(answer);
  throw providerError(provider, refusal.data?.error ?? "its response contains no token", undefined);
}

function providerError({ label }: OAuthProvider, why: string, cause: unknown): KernelBotError {
  const sentence = `${label} did not identify you (${why}); try again, and contact the organiser if the error persists`;
  return new KernelBotError("unavailable", sentence, { cause });
}
