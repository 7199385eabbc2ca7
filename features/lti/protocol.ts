/**
 * The messages of LTI 1.3: OpenID Connect with an ID token that the browser posts, and requests with tokens of the
 * client-credentials grant (RFC 7523). The library checks state, nonce, and signature, issuer, audience and times of ID
 * tokens, and authenticates this server.
 */
import type { Configuration, CustomFetch } from "openid-client";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { perDatabase } from "@kernelbot/server/src/db/per-database.ts";
import { cryptoKey, toolKey, type Sign } from "./key.ts";
import type { PlatformRow } from "./platforms.ts";

/** Timeout of requests to a platform, in seconds. */
const ANSWER_S = 10;
/** Maximum size of a response, in bytes. */
const ANSWER_BYTES = 4 * 2 ** 20;
/** A token is not used in its last seconds. */
const MARGIN_MS = 30_000;
/** Lifetime of tokens of platforms that do not state it. */
const TOKEN_S = 300;

const configurations = perDatabase(() => new Map<string, Configuration>());
const tokens = new WeakMap<Configuration, Map<string, { token: string; until: number }>>();

/** Returns the library's configuration for a platform. It keeps the keys and tokens of the platform. */
export async function configurationOf(database: Database, sign: Sign, platform: PlatformRow): Promise<Configuration> {
  const { id, issuer, client_id: clientId, authorize_url, token_url, jwks_url } = platform;
  const known = configurations(database);
  const key = JSON.stringify([id, issuer, clientId, authorize_url, token_url, jwks_url]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const client = await loadClient();
  const tool = await toolKey(database, sign);
  const auth = client.PrivateKeyJwt(
    { key: await cryptoKey(tool), kid: tool.kid },
    // Platforms expect the address of the token endpoint, not the issuer.
    { [client.modifyAssertion]: (_, payload) => void (payload.aud = token_url) },
  );
  const server = { issuer, authorization_endpoint: authorize_url, token_endpoint: token_url, jwks_uri: jwks_url };
  const made = new client.Configuration(server, clientId, { id_token_signed_response_alg: "RS256" }, auth);
  made.timeout = ANSWER_S;
  made[client.customFetch] = fetchBounded;
  client.useIdTokenResponseType(made);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- only for a platform on loopback, as `platforms.ts` checks
  if ([token_url, jwks_url].some((url) => url.startsWith("http:"))) client.allowInsecureRequests(made);
  known.set(key, made);
  return made;
}

/** Returns the platform's address to which the browser is sent for a launch. */
export async function authenticationAddress(
  configuration: Configuration,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const { buildAuthorizationUrl } = await loadClient();
  const fixed = { scope: "openid", response_mode: "form_post", prompt: "none" };
  return buildAuthorizationUrl(configuration, { ...fixed, ...parameters }).href;
}

/**
 * Returns the claims of the ID token that a platform posted.
 * @throws KernelBotError `forbidden` if the platform refused, or a check fails.
 */
export async function verifyIdToken(
  configuration: Configuration,
  platform: string,
  form: URLSearchParams,
  { state, nonce }: { state: string; nonce: string },
): Promise<unknown> {
  const { implicitAuthentication } = await loadClient();
  const request = new Request("http://tool.invalid/", { method: "POST", body: form });
  try {
    return await implicitAuthentication(configuration, request, nonce, { expectedState: state });
  } catch (error) {
    const { error: code, message, cause: inner } = error as Error & { error?: unknown };
    const why = typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : "its response is invalid";
    const detail = inner instanceof Error ? inner.message : "";
    throw new KernelBotError(
      "forbidden",
      `${platform} did not confirm this launch (${why}); open the activity there again, and contact the organiser if the error persists`,
      // The library's error contains the token.
      { cause: new Error(`${platform}: ${message}: ${detail}`) },
    );
  }
}

interface ServiceRequest {
  scope: string;
  url: URL;
  method?: "GET" | "POST";
  /** Media type of the response. */
  accept: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Media type of `body`. */
  contentType?: string;
}

/**
 * Sends a request to a service of a platform. A token that the platform no longer accepts is replaced once.
 * @throws if the platform does not respond, or gives no token.
 */
export async function requestService(configuration: Configuration, request: ServiceRequest): Promise<Response> {
  const first = await tryRequest(configuration, request);
  if (first !== null) return first;
  tokens.get(configuration)?.delete(request.scope);
  const second = await tryRequest(configuration, request);
  if (second === null) throw new Error("the platform responded with 401 to a new token");
  return second;
}

/** Returns the response; null if the platform did not accept the token. */
async function tryRequest(
  configuration: Configuration,
  { scope, url, method = "GET", accept, body, contentType }: ServiceRequest,
): Promise<Response | null> {
  const { fetchProtectedResource, WWWAuthenticateChallengeError } = await loadClient();
  // Canvas rejects requests without a user agent.
  const headers = new Headers({ accept, "user-agent": "KernelBot" });
  if (contentType !== undefined) headers.set("content-type", contentType);
  const token = await tokenFor(configuration, scope);
  const text = body === undefined ? undefined : JSON.stringify(body);
  try {
    const response = await fetchProtectedResource(configuration, token, url, method, text, headers);
    return response.status === 401 ? null : response;
  } catch (error) {
    if (error instanceof WWWAuthenticateChallengeError && error.status === 401) return null;
    throw error;
  }
}

async function tokenFor(configuration: Configuration, scope: string): Promise<string> {
  const byScope = tokens.get(configuration) ?? new Map<string, { token: string; until: number }>();
  tokens.set(configuration, byScope);
  const known = byScope.get(scope);
  if (known !== undefined && known.until > Date.now()) return known.token;
  const { clientCredentialsGrant } = await loadClient();
  const answer = await clientCredentialsGrant(configuration, { scope }).catch((error: unknown) => {
    throw tokenError(error);
  });
  const { access_token: token, expires_in: seconds = TOKEN_S } = answer;
  byScope.set(scope, { token, until: Date.now() + seconds * 1000 - MARGIN_MS });
  return token;
}

/** Returns why a platform gave no token. */
function tokenError(error: unknown): Error {
  const { message, error: code, cause } = error as Error & { error?: unknown };
  const status = cause instanceof Response ? cause.status : undefined;
  const why = typeof code === "string" ? code : status === undefined ? message : `it responded with ${status}`;
  return new Error(`the platform gave no token: ${why}`, { cause: cause instanceof Error ? cause : undefined });
}

/** Sends a request whose response fails beyond `ANSWER_BYTES`. The addresses of columns come from launches. */
const fetchBounded: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  if (response.body === null) return response;
  let size = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > ANSWER_BYTES) throw new Error(`the platform's response is larger than ${ANSWER_BYTES} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
};

/** Loading takes 0.1 s, which only servers with a platform need. */
function loadClient() {
  return import("openid-client");
}
