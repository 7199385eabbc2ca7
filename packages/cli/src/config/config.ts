/**
 * The server and token of a call: `--server`, then KERNELBOT_SERVER and KERNELBOT_TOKEN, then what `kernelbot login`
 * stored.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, REPEAT_FOR_MS, type Client } from "@kernelbot/api";
import { UsageError } from "../command/exit.ts";
import { sanitize } from "../output/text.ts";

const DEFAULT_SERVER = "http://127.0.0.1:8080";

export interface Settings {
  server: string;
  token: string | undefined;
  /** Whether the server is the default, which nothing names. */
  isDefault: boolean;
}

/** Client of a server, with the addresses of its pages. */
export interface Connection {
  server: string;
  client: Client;
  /** Returns the address of a submission's page. */
  pageOf: (submissionId: number) => string;
  /** Returns the address of a run's receipt. */
  receiptOf: (runId: number) => string;
}

/** Returns the path of the configuration file, following the XDG base directory specification. */
function configPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "kernelbot", "config.toml");
}

/**
 * Returns the settings of this call. A stored token is sent only to the server that it was stored for.
 * @throws UsageError for an invalid address, or a configuration file that cannot be read.
 */
export async function readSettings(
  serverOption: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Settings> {
  const stored = await readStored(configPath(env));
  const named = serverOption ?? (env.KERNELBOT_SERVER || stored.server);
  const server = serverAddress(named ?? DEFAULT_SERVER);
  const storedToken = serverAddress(stored.server ?? DEFAULT_SERVER) === server ? stored.token : undefined;
  return { server, token: env.KERNELBOT_TOKEN || storedToken, isDefault: named === undefined };
}

const NO_SERVER =
  "This is the default, because no server is set: name yours with --server URL, KERNELBOT_SERVER or kernelbot login --server URL.";

export async function connect(serverOption: string | undefined): Promise<Connection> {
  const { server, token, isDefault } = await readSettings(serverOption);
  const unreachableAdvice = isDefault ? NO_SERVER : undefined;
  return {
    server,
    client: createClient({ server, token, unreachableAdvice, onRetry: noticeOnce(server) }),
    pageOf: (id) => `${server}/submissions/${id}`,
    receiptOf: (id) => `${server}/api/v1/runs/${id}/receipt`,
  };
}

/** Returns a function that prints, the first time it is called, that a request is repeated. */
function noticeOnce(server: string): (error: Error) => void {
  let isPrinted = false;
  return ({ message }) => {
    if (!isPrinted) {
      console.error(
        `${server}: ${sanitize(message).replace(/\.$/, "")}. Retrying for up to ${REPEAT_FOR_MS / 1000} s.`,
      );
    }
    isPrinted = true;
  };
}

/** Returns an address without trailing slashes, so that two spellings of one server compare equal. */
export function serverAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`${JSON.stringify(text)} is not a valid server address; use one such as ${DEFAULT_SERVER}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

async function readStored(path: string): Promise<{ server?: string; token?: string }> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  const { parse } = await import("smol-toml");
  try {
    const { server, token } = parse(text);
    return { ...(typeof server === "string" && { server }), ...(typeof token === "string" && { token }) };
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n");
    throw new UsageError(`${path} is not valid TOML (${reason}); fix it, or delete it and run kernelbot login`, {
      cause: error,
    });
  }
}

/** Writes the settings atomically and readable only by this user (0600). Returns the file's path. */
export async function storeSettings(settings: { server: string; token?: string }): Promise<string> {
  const { stringify } = await import("smol-toml");
  const path = configPath();
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(draft, stringify(settings), { mode: 0o600 });
  await rename(draft, path);
  return path;
}
