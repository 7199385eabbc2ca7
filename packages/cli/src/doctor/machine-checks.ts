/** Checks of what this machine can do. Each check reports what it found and how to fix a failure. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createClient } from "@kernelbot/api";
import { Checks, formatCount, KernelBotError, type Check } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { isNewEnough, OLDEST_NODE } from "@kernelbot/tester/node-version";
import { findPython, TESTER_DIRECTORY } from "@kernelbot/tester";
import { readSettings } from "../config/config.ts";

/** Timeout in ms. The tester's own checks import PyTorch and set up a sandbox. */
const TESTER_CHECKS_MS = 120_000;

/** Runs the checks needed for submitting: Node.js version, server and token. */
export async function submitChecks(serverOption: string | undefined): Promise<Check[]> {
  return [checkNode(process.versions.node), ...(await checkServer(serverOption))];
}

/** Checks whether a version of Node.js is new enough. */
export function checkNode(version: string): Check {
  const ok = isNewEnough(version);
  const fix = ok ? null : `Install Node.js ${OLDEST_NODE} or newer`;
  return { name: "Node.js", ok, detail: version, fix };
}

async function checkServer(serverOption: string | undefined): Promise<Check[]> {
  const { server, token } = await readSettings(serverOption);
  const client = createClient({ server, token });
  try {
    const boards = await client.boards();
    const reached: Check = {
      name: "server",
      ok: true,
      detail: `${server}, ${formatCount(boards.length, "leaderboard")}`,
      fix: null,
    };
    return [reached, await checkToken(server, token, () => client.submissions({ limit: 1 }))];
  } catch (error) {
    const fix = "Start the server (npm start), or use another with --server, KERNELBOT_SERVER or kernelbot login";
    return [{ name: "server", ok: false, detail: (error as Error).message, fix }];
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

/**
 * Runs the checks needed for judging on this machine: a Python interpreter with PyTorch, then the tester's own checks.
 */
export async function judgeChecks(): Promise<Check[]> {
  let python;
  try {
    python = await findPython();
  } catch (error) {
    const fix = "Install PyTorch and NumPy, or set KERNELBOT_PYTHON to an interpreter that has them";
    return [{ name: "Python", ok: false, detail: (error as Error).message, fix }];
  }
  const found: Check = {
    name: "Python",
    ok: true,
    detail: `${python.path}, PyTorch ${python.torchVersion}`,
    fix: null,
  };
  return [found, ...(await testerChecks(python.path))];
}

async function testerChecks(python: string): Promise<Check[]> {
  const args = ["-m", "kernelbot_tester", "doctor", "--json"];
  const env = childEnvironment(process.env, "python");
  const options = { cwd: TESTER_DIRECTORY, env, timeout: TESTER_CHECKS_MS };
  // The tester exits with a non-zero status when a check fails, but prints all checks.
  const { stdout, stderr } = await promisify(execFile)(python, args, options).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  const checks = Checks.safeParse(jsonOrUndefined(stdout));
  if (checks.success) return checks.data;
  const detail = stderr.trim().split("\n").at(-1) || "no output";
  return [{ name: "tester", ok: false, detail, fix: "Reinstall KernelBot: its tester does not start" }];
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
