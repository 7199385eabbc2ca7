import { setTimeout } from "node:timers/promises";
import { createClient, KernelBotError, SCOPES, type Scope } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { readSettings, storeSettings } from "../config/config.ts";
import { waitForToken } from "../config/device-login.ts";
import { EXIT, Interrupted, UsageError } from "../command/exit.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { scopesOf } from "../command/scopes.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

/** Scopes of a terminal's token unless others are requested. */
const USUAL: readonly Scope[] = ["submit", "read", "account"];

export const command = defineCommand({
  name: "login",
  about: "Signs this terminal in: you confirm a code in a browser. The token is stored for this user alone.",
  positionals: [],
  options: {
    scopes: { type: "string", value: "LIST", default: USUAL.join(","), help: "What the terminal may do, by commas" },
    token: { type: "boolean", help: "Store a token that you have; asks for it" },
    ...SERVER_OPTION,
  },
  notes: [
    `The scopes are ${SCOPES.filter((scope) => scope !== "runner").join(", ")}; admin acts with the roles of your account.`,
    "Without a terminal --token reads the standard input: kernelbot login --token --server URL < token",
  ],
  run: async (options) => {
    const { server } = await readSettings(options.server);
    const { print } = terminalOf(process.stdout);
    const token = options.token
      ? (await readToken(server)).trim()
      : await confirmedToken(server, scopesOf(options.scopes), print);
    if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError("that is not a token: it is empty or has odd characters");
    const account = await accountOf(server, token);
    const path = await storeSettings({ server, token });
    print([account === null ? `The token is good. Stored in ${path}` : `Signed in as ${account}. Stored in ${path}`]);
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
  const asked = await client.askForDevice(scopes);
  const { verification_uri, user_code } = sanitize(asked);
  print([
    `Open ${verification_uri} in a browser, and type the code ${user_code}`,
    "Waiting until you have confirmed ...",
  ]);
  return untilInterrupted("Nothing was stored.", (signal) =>
    waitForToken(client, asked, (ms) => setTimeout(ms, undefined, { signal })),
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
    throw new UsageError(`${server} does not know this token; nothing was stored`, { cause: error });
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
