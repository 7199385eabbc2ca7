/**
 * Runs a command on another machine by the system's `ssh`, so that keys, agents, jump hosts and known hosts work as
 * configured. Never prompts, and refuses unknown hosts.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { childEnvironment } from "@kernelbot/tester/child-environment";

interface SshOptions {
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  identityFile?: string | undefined;
  knownHostsFile?: string | undefined;
}

export interface Outcome {
  /** Exit code of the command; 255 when ssh itself failed. */
  code: number;
  out: string;
  err: string;
}

/** Exit code of ssh when it could not run the command. */
export const NOT_CONNECTED = 255;

/** Runs a command. @param input Standard input of the command; secrets must be passed here, never in the command. */
export async function ssh(options: SshOptions, command: string, input: string, signal: AbortSignal): Promise<Outcome> {
  const { host, user, port, identityFile, knownHostsFile } = options;
  const settings = [
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=20",
    "ServerAliveInterval=15",
    ...(knownHostsFile === undefined ? [] : [`UserKnownHostsFile=${knownHostsFile}`]),
    ...(identityFile === undefined ? [] : [`IdentityFile=${identityFile}`, "IdentitiesOnly=yes"]),
  ];
  const args = [
    ...settings.flatMap((setting) => ["-o", setting]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(user === undefined ? [] : ["-l", user]),
    ...["-T", "--", host, command],
  ];
  const child = spawn("ssh", args, {
    env: childEnvironment(process.env, "ssh"),
    stdio: ["pipe", "pipe", "pipe"],
    signal,
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  closed.catch(() => undefined); // Awaited below.
  // A process that was not started for lack of file descriptors has no streams.
  await once(child, "spawn");
  // The command may end before reading all input; its exit code is reported.
  child.stdin.on("error", () => undefined).end(input);
  const [[code], out, err] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { code: code ?? NOT_CONNECTED, out, err };
}
