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
    case "adopt":
      await (await import("./adopt-command.ts")).adoptFrom(command.options);
      break;
    case "token":
      await (await import("./token-command.ts")).printToken(command.options);
  }
} catch (error) {
  if (!(error instanceof KernelBotError)) throw error;
  console.error(`kernelbot-server: ${error.message}`);
  if (error.code === "bad_request") console.error("kernelbot-server --help shows how it is called");
  process.exitCode = error.code === "bad_request" ? 2 : 3;
}
