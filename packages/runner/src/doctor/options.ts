import { hostname } from "node:os";
import { parseArgs } from "node:util";
import { flagConfig, formatOptions, KernelBotError } from "@kernelbot/core";
import { findToken, RUNNER_OPTIONS, serverUrl, targetName } from "../options.ts";

const { token, name, help } = RUNNER_OPTIONS;

export const DOCTOR_OPTIONS = {
  target: { argument: "TARGET", help: "target of this machine; without it, an accelerator is not required" },
  server: { argument: "URL", help: "server to check token, target and clock against" },
  "token-file": RUNNER_OPTIONS["token-file"],
  token,
  name,
  json: { help: "print a JSON document" },
  help,
} as const;

/** What the command does, in the imperative, without a period at the end. */
const ABOUT = "Check whether a runner would work on this machine, and print what does not work and what to do";

export const DOCTOR_USAGE = `Usage: kernelbot-runner doctor [options]

${ABOUT}.

${formatOptions(DOCTOR_OPTIONS)}

Exit codes: 0 a runner would work, 2 invalid usage, 3 it would not.
`;

export interface DoctorOptions {
  /** Null to check only the machine. */
  server: URL | null;
  /** Null if no token is given. */
  token: string | null;
  /** Null to check the machine without a requirement of its target. */
  target: string | null;
  name: string;
  json: boolean;
}

/**
 * Parses the arguments that follow `doctor`.
 * @throws KernelBotError `bad_request` that says how to correct them.
 */
export function parseDoctorOptions(args: readonly string[], env: NodeJS.ProcessEnv): DoctorOptions | "help" {
  const values = parseFlags(args);
  if (values.help === true) return "help";
  return {
    server: values.server === undefined ? null : serverUrl(values.server),
    token: findToken(values, env),
    target: values.target === undefined ? null : targetName(values.target),
    name: values.name ?? hostname(),
    json: values.json === true,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flagConfig(DOCTOR_OPTIONS) }).values;
  } catch (error) {
    throw new KernelBotError("bad_request", error instanceof Error ? error.message : String(error));
  }
}
