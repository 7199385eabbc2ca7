import { createClient, KernelBotError } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../command.ts";
import { readSettings, storeSettings } from "../config.ts";
import { EXIT, Interrupted, UsageError } from "../exit.ts";
import { terminalOf } from "../terminal.ts";

export const command = defineCommand({
  name: "login",
  about: "Asks for your token, checks it, and stores it with the server's address for this user alone.",
  positionals: [],
  options: { ...SERVER_OPTION },
  notes: ["Without a terminal the token is read from the standard input: kernelbot login --server URL < token"],
  run: async (options) => {
    const { server } = await readSettings(options.server);
    const token = (await readToken(server)).trim();
    if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError("that is not a token: it is empty or has odd characters");
    try {
      await createClient({ server, token }).submissions({ limit: 1 });
    } catch (error) {
      if (!(error instanceof KernelBotError && error.code === "unauthorized")) throw error;
      throw new UsageError(`${server} does not know this token; nothing was stored`, { cause: error });
    }
    const path = await storeSettings({ server, token });
    terminalOf(process.stdout).print([`The token is good. Stored in ${path}`]);
    return EXIT.passed;
  },
});

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
