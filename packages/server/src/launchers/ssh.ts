/**
 * A command on another machine, by the system's own `ssh`: an operator's keys, agents, jump hosts and known hosts work as
 * they do by hand. It never asks a question, and knows its host or does not connect.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { childEnvironment } from "@kernelbot/core";

export interface SshOptions {
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  identityFile?: string | undefined;
  knownHostsFile?: string | undefined;
}

export interface Outcome {
  /** Of the command; 255 where ssh itself failed. */
  code: number;
  out: string;
  err: string;
}

/** What ssh ends with where it did not come to the command. */
export const NOT_CONNECTED = 255;

/** @param input What the command reads: a secret belongs here, and never among its words. */
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
  // The command may end before it has read all: its exit code says what is to be said.
  child.stdin.on("error", () => undefined).end(input);
  const [[code], out, err] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: code ?? NOT_CONNECTED, out, err };
}
