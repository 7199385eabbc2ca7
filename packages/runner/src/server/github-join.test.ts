import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { joinFromGitHub } from "./github-join.ts";

/** Fake GitHub, which issues OIDC tokens, and fake KernelBot server, which accepts those issued for it. */
let server: Server;
let here: URL;
let away: number;
beforeEach(async () => {
  away = 0;
  server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const url = new URL(request.url ?? "", here);
    const { authorization } = request.headers;
    if (url.pathname === "/sign" && authorization === "Bearer of-the-job") {
      return answer(200, { value: `signed for ${url.searchParams.get("audience")}`.replaceAll(" ", "-") });
    }
    if (url.pathname === "/api/v1/runner/join" && authorization === `Bearer signed-for-${here.origin}`) {
      return away-- > 0
        ? answer(503, { detail: "the launch is not recorded yet" })
        : answer(200, { token: "kb_launched" });
    }
    answer(401, { detail: "unknown token" });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  here = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(() => server.close());

const job = (token = "of-the-job"): NodeJS.ProcessEnv => ({
  ACTIONS_ID_TOKEN_REQUEST_URL: `${here.href}sign?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
  PATH: "/bin",
});

test("a job exchanges its OIDC token for a runner token and drops its credentials", async () => {
  const env = job();
  away = 1;
  expect(await joinFromGitHub(here, env, new AbortController().signal)).toBe("kb_launched");
  expect(env).toEqual({ PATH: "/bin" });
});

test("a process outside GitHub Actions and a rejected job are errors", async () => {
  const joining = joinFromGitHub(here, {}, new AbortController().signal);
  await expect(joining).rejects.toThrow("not a GitHub Actions job with the permission id-token: write");
  const rejected = joinFromGitHub(here, job("another"), new AbortController().signal);
  await expect(rejected).rejects.toThrow("GitHub issued no OIDC token for this job: it returned 401");
});
