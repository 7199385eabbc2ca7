/** Fake OAuth 2 provider with single-use codes, PKCE and a consent page. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { readProviders, type Provider } from "@kernelbot/server/src/auth/providers.ts";

export interface FakeProvider extends AsyncDisposable {
  url: string;
  /** Environment of a server that uses this provider. */
  env: Record<string, string>;
  provider: Provider;
  /** User info of the user who consents. */
  user: Record<string, unknown>;
  /** When set, the body of every token response; a string is sent unchanged. */
  refusal: Record<string, unknown> | string | undefined;
  /** Authorization requests received. */
  requests: URLSearchParams[];
}

/** The same user in the format of each provider. */
const USERS = {
  discord: { id: "100000000000000042", username: "ada" },
  github: { id: 42, login: "ada" },
  google: { sub: "42", name: "ada" },
};

export const CLIENT_SECRET = "the client's secret";

export async function startFakeProvider(name: "discord" | "github" | "google" = "github"): Promise<FakeProvider> {
  const codes = new Map<string, URLSearchParams>();
  const tokens = new Set<string>();

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://provider");
    if (pathname === "/authorize") return authorize(request, response, searchParams);
    if (pathname === "/token") return void token(request, response);
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    return tokens.has(bearer) ? answer(response, fake.user) : answer(response, { message: "Bad credentials" }, 401);
  });

  /** GET shows a button; its POST redirects back with a code. */
  function authorize(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    if (request.method === "GET") {
      response.setHeader("content-type", "text/html");
      response.end(
        '<!doctype html><title>Provider</title><link rel="icon" href="data:,"><form method="post"><button>Agree</button></form>',
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

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const grant = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      grant?.get("code_challenge_method") === "S256" &&
      grant.get("code_challenge") === challenge &&
      grant.get("redirect_uri") === form.get("redirect_uri") &&
      form.get("client_id") === "client" &&
      form.get("client_secret") === CLIENT_SECRET;
    if (fake.refusal !== undefined || !isRight) return answer(response, fake.refusal ?? { error: "invalid_grant" });
    const access = randomBytes(8).toString("hex");
    tokens.add(access);
    answer(response, { access_token: access, token_type: "bearer" });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const prefix = `KERNELBOT_${name.toUpperCase()}`;
  const env = {
    [`${prefix}_CLIENT_ID`]: "client",
    [`${prefix}_CLIENT_SECRET`]: CLIENT_SECRET,
    [`${prefix}_AUTHORIZE_URL`]: `${url}/authorize`,
    [`${prefix}_TOKEN_URL`]: `${url}/token`,
    [`${prefix}_USER_URL`]: `${url}/user`,
  };
  const fake: FakeProvider = {
    url,
    env,
    provider: readProviders(env)[0] as Provider,
    user: USERS[name],
    refusal: undefined,
    requests: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function answer(response: ServerResponse, body: Record<string, unknown> | string, status = 200): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}
