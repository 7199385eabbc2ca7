/** Fake OpenID Connect issuer: discovery, keys, consent page, and ID tokens that can be wrong in one respect. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";

export interface FakeIssuer extends AsyncDisposable {
  url: string;
  /** Environment of a server that uses this issuer. */
  env: Record<string, string>;
  /** Claims about the user who consents. */
  user: Record<string, unknown>;
  /** Claims of the next ID tokens that replace the correct ones; undefined removes a claim. */
  wrong: Record<string, unknown>;
  algorithm: "RS256" | "ES256" | "none";
  /** Whether ID tokens are signed with another key than the published one. */
  forged: boolean;
  /** Whether only the user-info endpoint returns the user's profile. */
  thin: boolean;
  /** When set, the body of every token response, with status 400. */
  refusal: Record<string, unknown> | undefined;
  /** When set, the host to which the authorization endpoint redirects for the consent page. */
  loginHost: string | undefined;
  /** Whether every request is answered with status 503. */
  down: boolean;
  /** Authorization requests received. */
  requests: URLSearchParams[];
  /** Token requests received. */
  tokenRequests: { authorization: string | undefined; form: URLSearchParams }[];
}

const CLIENT_SECRET = "the client's secret";
const TOKEN_S = 300;

/** @param methods Methods by which clients authenticate, as the issuer lists them. */
export async function startFakeIssuer(methods: readonly string[] = ["client_secret_post"]): Promise<FakeIssuer> {
  const keys = { RS256: await generateKeyPair("RS256"), ES256: await generateKeyPair("ES256") };
  const foreign = { RS256: await generateKeyPair("RS256"), ES256: await generateKeyPair("ES256") };
  const codes = new Map<string, URLSearchParams>();

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://issuer");
    if (fake.down) return respond(response, { error: "temporarily_unavailable" }, 503);
    if (pathname === "/realm/authorize") return authorize(request, response, searchParams);
    void route(pathname, request).then(
      ([body, status]) => respond(response, body, status),
      (error: unknown) => respond(response, { error: "server_error", error_description: String(error) }, 500),
    );
  });

  async function route(pathname: string, request: IncomingMessage): Promise<[unknown, number?]> {
    if (pathname === "/realm/.well-known/openid-configuration") return [metadata()];
    if (pathname === "/realm/jwks") {
      const jwk = async (alg: "RS256" | "ES256") => ({ ...(await exportJWK(keys[alg].publicKey)), alg, kid: alg });
      return [{ keys: [await jwk("RS256"), await jwk("ES256")] }];
    }
    if (pathname === "/realm/userinfo") return [fake.user];
    return pathname === "/realm/token" ? token(request) : [{ error: "not_found" }, 404];
  }

  function metadata(): Record<string, unknown> {
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "ES256", "none"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: methods,
    };
  }

  /** GET shows a button; its POST redirects back with a code. */
  function authorize(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    if (request.method === "GET") {
      const { host = "" } = request.headers;
      if (fake.loginHost !== undefined && !host.startsWith(`${fake.loginHost}:`)) {
        const location = `http://${fake.loginHost}:${host.split(":")[1] ?? ""}${request.url ?? ""}`;
        response.writeHead(302, { location }).end();
        return;
      }
      response.setHeader("content-type", "text/html");
      response.end(
        '<!doctype html><title>Issuer</title><link rel="icon" href="data:,"><form method="post"><button>Agree</button></form>',
      );
      return;
    }
    fake.requests.push(query);
    const code = randomBytes(8).toString("hex");
    codes.set(code, query);
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(303, { location: back.href }).end();
  }

  async function token(request: IncomingMessage): Promise<[unknown, number?]> {
    const form = new URLSearchParams(await text(request));
    const { authorization } = request.headers;
    fake.tokenRequests.push({ authorization, form });
    const grant = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (fake.refusal !== undefined) return [fake.refusal, 400];
    if (!isClient(authorization, form)) return [{ error: "invalid_client" }, 401];
    if (grant?.get("code_challenge") !== challenge || grant.get("redirect_uri") !== form.get("redirect_uri"))
      return [{ error: "invalid_grant" }, 400];
    return [{ access_token: "access", token_type: "Bearer", id_token: await idToken(grant.get("nonce")) }];
  }

  function idToken(nonce: string | null): string | Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const { sub } = fake.user;
    const correct = { iss: url, aud: "client", iat: now, exp: now + TOKEN_S, nonce };
    const claims = { ...correct, ...(fake.thin ? { sub } : fake.user), ...fake.wrong };
    if (fake.algorithm === "none") return new UnsecuredJWT(claims).encode();
    const { privateKey } = (fake.forged ? foreign : keys)[fake.algorithm];
    return new SignJWT(claims).setProtectedHeader({ alg: fake.algorithm, kid: fake.algorithm }).sign(privateKey);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
  const fake: FakeIssuer = {
    url,
    env: {
      KERNELBOT_OIDC_ISSUER: url,
      KERNELBOT_OIDC_CLIENT_ID: "client",
      KERNELBOT_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      KERNELBOT_OIDC_NAME: "Example University",
    },
    user: { sub: "42", name: "ada" },
    wrong: {},
    algorithm: "RS256",
    forged: false,
    thin: false,
    refusal: undefined,
    loginHost: undefined,
    down: false,
    requests: [],
    tokenRequests: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** Returns whether the client authenticated by `client_secret_basic` or `client_secret_post`. */
function isClient(authorization: string | undefined, form: URLSearchParams): boolean {
  if (authorization === undefined)
    return form.get("client_id") === "client" && form.get("client_secret") === CLIENT_SECRET;
  const [id = "", secret = ""] = atob(authorization.replace(/^Basic /, "")).split(":");
  return id === "client" && new URLSearchParams(`secret=${secret}`).get("secret") === CLIENT_SECRET;
}

function respond(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
