/** Checks of what this machine can judge. Each check reports what it found and how to fix a failure. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Checks, type Check } from "@kernelbot/core";
import { childEnvironment } from "../child-environment.ts";
import { isNewEnough, OLDEST_NODE } from "../node-version.mjs";
import { machineBuild, pipArguments } from "../pinned-packages.mjs";
import { findPython, TESTER_DIRECTORY, type Python } from "../python.ts";

/** Timeout in ms. The tester's own checks import PyTorch, set up a sandbox and have timeouts of their own. */
const TESTER_CHECKS_MS = 1_800_000;

/** Checks whether a version of Node.js is new enough. */
export function checkNode(version: string): Check {
  const ok = isNewEnough(version);
  const fix = ok ? null : `Install Node.js ${OLDEST_NODE} or newer`;
  return { name: "Node.js", ok, detail: version, fix };
}

/**
 * Runs the checks needed for judging on this machine: a Python interpreter with PyTorch, then the tester's own checks.
 * @param accelerator Whether a machine without an accelerator fails.
 */
export async function judgeChecks({ accelerator = false } = {}): Promise<Check[]> {
  let python: Python;
  try {
    python = await findPython();
  } catch (error) {
    return [{ name: "Python", ok: false, detail: (error as Error).message, fix: installAdvice() }];
  }
  const { path, refused } = python;
  const detail = refused.length === 0 ? path : `${path}, since ${refused.join(" and ")}`;
  return [{ name: "Python", ok: true, detail, fix: null }, ...(await testerChecks(path, accelerator))];
}

/** Returns the command that installs the pinned PyTorch for this machine, where `findPython` found no interpreter with one. */
function installAdvice(): string {
  const packages = pipArguments(process.platform, machineBuild());
  const chosen = process.env.KERNELBOT_PYTHON;
  if (chosen !== undefined && existsSync(chosen)) return `Install them: ${chosen} -m pip install ${packages}`;
  // Not into the system's interpreter, for which Debian refuses `pip install`.
  const folder = join(homedir(), "kernelbot-python");
  const python = join(folder, "bin/python3");
  return (
    `Set KERNELBOT_PYTHON to an interpreter that has them, such as ${python} after: ` +
    `python3 -m venv ${folder} && ${python} -m pip install ${packages}`
  );
}

async function testerChecks(python: string, accelerator: boolean): Promise<Check[]> {
  const args = ["-m", "kernelbot_tester", "doctor", "--json", ...(accelerator ? ["--accelerator"] : [])];
  const env = childEnvironment(process.env, "python");
  const options = { cwd: TESTER_DIRECTORY, env, timeout: TESTER_CHECKS_MS };
  // The tester exits with a non-zero status when a check fails, but prints all checks.
  const { stdout, stderr, killed } = await promisify(execFile)(python, args, options).then(
    (output) => ({ ...output, killed: false }),
    (error: unknown) => error as { stdout: string; stderr: string; killed?: boolean },
  );
  const checks = Checks.safeParse(jsonOrUndefined(stdout));
  if (checks.success) return checks.data;
  if (killed === true) {
    const detail = `no result in ${TESTER_CHECKS_MS / 60_000} minutes`;
    return [{ name: "tester", ok: false, detail, fix: "Run this again while the machine is less busy" }];
  }
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
