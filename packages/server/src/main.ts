#!/usr/bin/env node
import { useProxy } from "@kernelbot/api/proxy";
import { KernelBotError } from "@kernelbot/core";
import { readCommand, USAGE } from "./config.ts";

const warning = useProxy(process.env);
if (warning !== undefined) console.error(`kernelbot-server: ${warning}`);
try {
  const command = readCommand(process.argv.slice(2), process.env);
  // Commands import their modules on demand, to start fast.
  switch (command.name) {
    case "help":
      process.stdout.write(USAGE);
      break;
    case "serve":
      await (await import("./serve.ts")).serve(command.options);
      break;
    case "backup":
      await (await import("./backup-commands.ts")).backupTo(command.options);
      break;
    case "restore":
      await (await import("./backup-commands.ts")).restoreFrom(command.options);
      break;
    case "token":
      await (await import("./token-command.ts")).printToken(command.options);
      break;
    case "feature": {
      const database = await (await import("./running-database.ts")).openRunningDatabase(command.options);
      try {
        await (await command.load()).run(command.options, database);
      } finally {
        await database.close();
      }
    }
  }
} catch (thrown) {
  const error = await describeError(thrown);
  if (error === undefined) throw thrown;
  console.error(`kernelbot-server: ${error.message}`);
  if (error.code === "bad_request") console.error("kernelbot-server --help shows how it is called");
  process.exitCode = error.code === "bad_request" ? 2 : 3;
}

/** Returns the error to print; undefined for a bug. */
async function describeError(error: unknown): Promise<KernelBotError | undefined> {
  if (error instanceof KernelBotError) return error;
  const { databaseUnavailable, dispositionOf } = await import("./db/retry.ts");
  if (dispositionOf(error) === "fault") return undefined;
  const { message } = databaseUnavailable(error);
  return new KernelBotError("unavailable", `${(error as Error).message}: ${message}`, { cause: error });
}
