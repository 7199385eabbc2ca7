import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import { flagConfig, formatOptions, KernelBotError, quote, TargetName } from "@kernelbot/core";

export const RUNNER_OPTIONS = {
  server: { argument: "URL", help: "address of the server, such as https://kernels.example.org (required)" },
  target: { argument: "TARGET", help: "target of this machine, such as cpu or H100 (required)" },
  "token-file": { argument: "FILE", help: "file that contains the runner's token" },
  token: {
    argument: "TOKEN",
    environment: "KERNELBOT_RUNNER_TOKEN",
    help: "the runner's token; as an option it is visible to all users who can list processes",
  },
  join: {
    argument: "github-actions",
    help: "request a token from the server with the OIDC token of this GitHub Actions job; for launchers",
  },
  name: { argument: "NAME", default: "the host name", help: "name of this runner" },
  slots: {
    argument: "COUNT",
    default: "1",
    help: "number of runs judged at the same time; timed stages are always alone on the machine, so this speeds up tests only",
  },
  once: { help: "exit after one run" },
  drain: { help: "exit when no run is queued" },
  "end-when-idle": { argument: "SECONDS", help: "exit after this many seconds without a run" },
  "end-at": { argument: "TIME", help: "claim no runs after this time, such as 2030-01-31T12:00:00Z, then exit" },
  "rest-after": {
    argument: "SECONDS",
    default: "300",
    help: "seconds without a run after which the tester's memory is released; the next run then starts some seconds later",
  },
  "heartbeat-file": {
    argument: "FILE",
    environment: "KERNELBOT_HEARTBEAT_FILE",
    help: "file that is written whenever the server has answered, at least once a minute; for health checks",
  },
  "unsafe-no-sandbox": { help: "judge without the sandbox; every result is marked" },
  help: { short: "h", help: "show this help" },
} as const;

/** Environment variables without an option. */
export const RUNNER_VARIABLES = {
  KERNELBOT_PYTHON: {
    default: "the first interpreter found that has PyTorch",
    help: "Python interpreter of the tester",
  },
  KERNELBOT_IMAGE: { help: "name of the container image that the runner is in; the images set it" },
};

/** What the program does, in the imperative, without a period at the end. */
export const ABOUT = "Claim runs for one target, judge them on this machine and report the results";
export const SYNTAX = "kernelbot-runner --server URL --target TARGET [options]";

const NO_TOKEN = "no token: set KERNELBOT_RUNNER_TOKEN, or use --token-file FILE or --token TOKEN";

export const USAGE = `Usage: ${SYNTAX}

${ABOUT}.
kernelbot-runner doctor checks whether this machine can do that; kernelbot-runner doctor --help shows its options.

${formatOptions(RUNNER_OPTIONS)}

SIGTERM or Ctrl-C stops it after the current run; a second one stops it immediately.
Exit codes: 0 stopped or drained, 2 invalid usage, 3 rejected by the server or unusable machine.
`;

export interface Options {
  /** Address of the server. It ends with a slash, so that relative addresses resolve below it. */
  server: URL;
  /** Runner token; null when the runner joins with an OIDC token. */
  token: string | null;
  target: string;
  name: string;
  /** Number of runs judged at the same time. */
  slots: number;
  /** When the runner ends by itself. */
  until: "stopped" | "one run" | "queue empty";
  /** Idle time in ms after which the runner ends; null for no limit. */
  endWhenIdleMs: number | null;
  /** Time after which the runner claims no more runs; null for no limit. */
  endAt: Date | null;
  /** Idle time in ms after which the tester's processes are stopped. */
  restAfterMs: number;
  unsafeNoSandbox: boolean;
  /** File that is written whenever the server has answered; null for none. */
  heartbeatFile: string | null;
  /** Container image that the runner is in, as named by the image itself; null outside of KernelBot's images. */
  image: string | null;
}

/**
 * Parses the command line.
 * @throws KernelBotError `bad_request` that says how to correct it.
 */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options | "help" {
  const values = parseFlags(args);
  if (values.help === true) return "help";
  if (values.once === true && values.drain === true) throw usage("use --once or --drain, not both");
  if (values.once === true && values.slots !== undefined) throw usage("use --once or --slots, not both");
  const target = targetName(values.target ?? throwUsage("--target TARGET is required"));
  const name = values.name ?? hostname();
  if (name.length === 0 || name.length > 100) throw usage("--name: use 1 to 100 characters");
  if (values["end-when-idle"] !== undefined && (values.once === true || values.drain === true)) {
    throw usage("use only one of --end-when-idle, --once and --drain");
  }
  return {
    server: serverUrl(values.server ?? throwUsage("--server URL is required")),
    token: joinsWithGitHub(values.join) ? null : (findToken(values, env) ?? throwUsage(NO_TOKEN)),
    target,
    name,
    slots: slotCount(values.slots ?? RUNNER_OPTIONS.slots.default),
    until: values.once === true ? "one run" : values.drain === true ? "queue empty" : "stopped",
    endWhenIdleMs: milliseconds("end-when-idle", values["end-when-idle"]),
    endAt: values["end-at"] === undefined ? null : moment(values["end-at"]),
    restAfterMs: milliseconds("rest-after", values["rest-after"] ?? RUNNER_OPTIONS["rest-after"].default),
    unsafeNoSandbox: values["unsafe-no-sandbox"] === true,
    heartbeatFile: (values["heartbeat-file"] ?? env.KERNELBOT_HEARTBEAT_FILE) || null,
    image: env.KERNELBOT_IMAGE || null,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flagConfig(RUNNER_OPTIONS) }).values;
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function milliseconds(name: string, seconds: string): number;
function milliseconds(name: string, seconds: string | undefined): number | null;
function milliseconds(name: string, seconds: string | undefined): number | null {
  if (seconds === undefined) return null;
  const ms = 1000 * Number(seconds);
  if (seconds.trim() === "" || !(ms >= 0)) throw usage(`--${name} ${quote(seconds)}: use a number of seconds`);
  return ms;
}

function slotCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw usage(`--slots ${quote(text)}: use a number from 1 to 99`);
  return Number(text);
}

function joinsWithGitHub(by: string | undefined): boolean {
  if (by !== undefined && by !== "github-actions")
    throw usage(`--join ${quote(by)}: the only method is github-actions`);
  return by !== undefined;
}

/** Parses a time. A time zone is required, since local times differ between machines. */
function moment(text: string): Date {
  const at = new Date(text);
  if (/T.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw usage(`--end-at ${quote(text)}: use a time such as 2030-01-31T12:00:00Z`);
}

/** Returns the token of the options or the environment; null if there is none. */
export function findToken(
  values: { token?: string | undefined; "token-file"?: string | undefined },
  env: NodeJS.ProcessEnv,
): string | null {
  const file = values["token-file"];
  let token = values.token ?? env.KERNELBOT_RUNNER_TOKEN;
  if (values.token === undefined && file !== undefined) {
    try {
      token = readFileSync(file, "utf8").trim();
    } catch (error) {
      throw usage(`--token-file ${quote(file)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (!token) return null;
  // The server validates the token; this check ensures only that it is valid in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw usage("the token has spaces or other invalid characters");
  return token;
}

/** Parses the name of a target. */
export function targetName(text: string): string {
  const target = TargetName.safeParse(text);
  if (!target.success) throw usage(`--target ${quote(text)}: ${target.error.issues[0]?.message ?? ""}`);
  return target.data;
}

export function serverUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usage(`--server ${quote(text)}: use an address such as https://kernels.example.org`);
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function usage(message: string): KernelBotError {
  return new KernelBotError("bad_request", message);
}

function throwUsage(message: string): never {
  throw usage(message);
}
