import { setTimeout } from "node:timers/promises";
import { createClient } from "@kernelbot/api";
import { KernelBotError, SCOPES, type Scope } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { readSettings, storeSettings } from "../config/config.ts";
import { waitForToken } from "../config/device-login.ts";
import { EXIT, Interrupted, UsageError } from "../command/exit.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { scopesOf } from "../command/scopes.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

/** Scopes of a terminal's token unless others are requested. */
const DEFAULT_SCOPES: readonly Scope[] = ["submit", "read", "account"];

export const command = defineCommand({
  name: "login",
  positionals: [],
  options: {
    scopes: {
      type: "string",
      value: "LIST",
      default: DEFAULT_SCOPES.join(","),
      help: "Scopes of the token, separated by commas",
    },
    token: { type: "boolean", help: "Store an existing token; prompts for it" },
    ...SERVER_OPTION,
  },
  notes: [
    "Prints a code to confirm in a browser. The token is stored in a file that only your user can read.",
    `Scopes: ${SCOPES.filter((scope) => scope !== "runner").join(", ")}. admin allows what the roles of your account allow.`,
    "Without a terminal, --token reads standard input: kernelbot login --token --server URL < token",
  ],
  run: async (options) => {
    const { server } = await readSettings(options.server);
    const { print } = terminalOf(process.stdout);
    const token = options.token
      ? (await readToken(server)).trim()
      : await confirmedToken(server, scopesOf(options.scopes), print);
    if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError("the token is empty or has invalid characters");
    const account = await accountOf(server, token);
    const path = await storeSettings({ server, token });
    print([account === null ? `The token is valid. Stored in ${path}` : `Signed in as ${account}. Stored in ${path}`]);
    return EXIT.passed;
  },
});

/** Requests a token that the user confirms in a browser. */
async function confirmedToken(
  server: string,
  scopes: readonly Scope[],
  print: (lines: readonly string[]) => void,
): Promise<string> {
  const client = createClient({ server });
  const requested = await client.askForDevice(scopes);
  const { verification_uri, user_code } = sanitize(requested);
  print([`Open ${verification_uri} in a browser and enter the code ${user_code}`, "Waiting for confirmation ..."]);
  return untilInterrupted("Nothing was stored.", (signal) =>
    waitForToken(client, requested, (ms) => setTimeout(ms, undefined, { signal })),
  );
}

/** Returns the name of the token's account; null when the token may not read it, such as a runner's. */
async function accountOf(server: string, token: string): Promise<string | null> {
  try {
    return sanitize((await createClient({ server, token }).account()).name);
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    if (error.code === "forbidden") return null;
    if (error.code !== "unauthorized") throw error;
    throw new UsageError(`${server} rejected the token: it is unknown, expired or revoked; nothing was stored`, {
      cause: error,
    });
  }
}

async function readToken(server: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const { text } = await import("node:stream/consumers");
    return text(process.stdin);
  }
  const { password } = await import("@clack/prompts");
  const token = await password({ message: `Your token for ${server}`, output: process.stderr });
  if (typeof token === "symbol") throw new Interrupted("Nothing was stored.");
  return token;
}
