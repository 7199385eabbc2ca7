/**
 * Joins as a job of GitHub Actions: GitHub signs a statement of which run this is, meant for our server alone, and the server
 * gives the token of that run for it. So the token is in no input, no log and no secret of a repository.
 * https://docs.github.com/actions/reference/security/oidc
 */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { ServerClient } from "./client.ts";
import { log } from "./log.ts";

const Statement = z.object({ value: z.string().min(1) });
const ANSWER_MS = 30_000;

/** @throws KernelBotError where GitHub signs nothing; Refusal where the server did not start this run. */
export async function joinFromGitHub(server: URL, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = env;
  // What lets this job have statements signed is not for what is judged.
  delete env.ACTIONS_ID_TOKEN_REQUEST_URL;
  delete env.ACTIONS_ID_TOKEN_REQUEST_TOKEN;
  if (address === undefined || token === undefined) {
    const needed = "this is no job of GitHub Actions with the permission id-token: write";
    throw new KernelBotError("bad_request", `--join github-actions: ${needed}`);
  }
  const url = new URL(address);
  url.searchParams.set("audience", server.origin);
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
  if (!response.ok)
    throw new KernelBotError("unavailable", `GitHub signs nothing for this job: it answers ${response.status}`);
  const { value } = Statement.parse(await response.json());
  return new ServerClient(server, value, log).join(signal);
}
