/**
 * Joins from a GitHub Actions job: GitHub signs an OIDC token that identifies the workflow run and has this server as
 * audience, and the server returns the runner token for it. The runner token is therefore in no input, log or secret of
 * a repository. See https://docs.github.com/actions/reference/security/oidc
 */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { ServerClient } from "./server-client.ts";
import { log } from "../log.ts";

const OidcResponse = z.object({ value: z.string().min(1) });
const TIMEOUT_MS = 30_000;

/**
 * Returns the runner token. @throws KernelBotError when GitHub issues no OIDC token; Refusal when the server did not
 * start this workflow run.
 */
export async function joinFromGitHub(server: URL, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = env;
  // Submissions must not inherit the credentials for requesting OIDC tokens.
  delete env.ACTIONS_ID_TOKEN_REQUEST_URL;
  delete env.ACTIONS_ID_TOKEN_REQUEST_TOKEN;
  if (address === undefined || token === undefined) {
    const reason = "this is not a GitHub Actions job with the permission id-token: write";
    throw new KernelBotError("bad_request", `--join github-actions: ${reason}`);
  }
  const url = new URL(address);
  url.searchParams.set("audience", server.origin);
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
  if (!response.ok)
    throw new KernelBotError("unavailable", `GitHub issued no OIDC token for this job: it returned ${response.status}`);
  const { value } = OidcResponse.parse(await response.json());
  return new ServerClient(server, value, log).join(signal);
}
