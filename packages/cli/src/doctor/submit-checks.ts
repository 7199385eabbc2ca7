/** Checks of what this machine needs for submitting. Each check reports what it found and how to fix a failure. */
import { createClient } from "@kernelbot/api";
import { formatProxy } from "@kernelbot/api/proxy";
import { formatCount, KernelBotError, type Check } from "@kernelbot/core";
import { checkNode } from "@kernelbot/tester";
import { readSettings } from "../config/config.ts";

/** Runs the checks needed for submitting: Node.js version, server and token. */
export async function submitChecks(serverOption: string | undefined): Promise<Check[]> {
  return [checkNode(process.versions.node), ...(await checkServer(serverOption))];
}

async function checkServer(serverOption: string | undefined): Promise<Check[]> {
  const { server, token } = await readSettings(serverOption);
  const client = createClient({ server, token });
  try {
    const boards = await client.boards();
    const reached: Check = {
      name: "server",
      ok: true,
      detail: `${server}, ${formatCount(boards.length, "leaderboard")}${formatProxy(process.env)}`,
      fix: null,
    };
    return [reached, await checkToken(server, token, () => client.submissions({ limit: 1 }))];
  } catch (error) {
    const fix =
      "Start the server (kernelbot-server), or use another with --server, KERNELBOT_SERVER or kernelbot login";
    return [{ name: "server", ok: false, detail: `${(error as Error).message}${formatProxy(process.env)}`, fix }];
  }
}

async function checkToken(server: string, token: string | undefined, use: () => Promise<unknown>): Promise<Check> {
  const fix = `Run: kernelbot login --server ${server}`;
  if (token === undefined) return { name: "token", ok: false, detail: "no token for this server", fix };
  try {
    await use();
    return { name: "token", ok: true, detail: "valid", fix: null };
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    return { name: "token", ok: false, detail: error.message, fix };
  }
}
