/** Runs the command that the arguments name; prints help, errors and the version. */
import { useProxy } from "@kernelbot/api/proxy";
import { EXIT, failureOf } from "./command/exit.ts";
import { runNamed } from "./command/group.ts";
import { COMMANDS } from "./commands.ts";
import { helpOn, rejectTopic } from "./help.ts";
import { terminalOf } from "./output/terminal.ts";
import { sanitize, jsonDocument, oneLine, wrap } from "./output/text.ts";
import { version } from "./version.ts";

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    console.log(await helpOn(name === "help" ? rest : []));
    return name === undefined ? EXIT.usage : EXIT.passed;
  }
  if (name === "--version" || name === "-v") {
    console.log(version());
    return EXIT.passed;
  }
  const options = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (options.includes("--help") || options.includes("-h")) {
    console.log(await helpOn([name, ...rest]));
    return EXIT.passed;
  }
  rejectTopic(name);
  return runNamed(COMMANDS, name, rest);
}

// A reader that closes the pipe early, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const args = process.argv.slice(2);
const warning = useProxy(process.env);
if (warning !== undefined) console.error(`kernelbot: ${warning}`);
try {
  process.exitCode = await main(args);
} catch (error) {
  const { exit, code, message } = failureOf(error);
  const sentence = oneLine(sanitize(message));
  const { print, width } = terminalOf(process.stderr);
  print(wrap(code === "interrupted" ? sentence : `kernelbot: ${sentence}`, width));
  if (process.env.KERNELBOT_DEBUG === "1") console.error(error);
  if (args.includes("--json")) console.log(jsonDocument({ error: { code, message } }));
  process.exitCode = exit;
}
