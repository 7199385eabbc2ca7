import { submitChecks } from "../doctor/submit-checks.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { qualifyMachine } from "../doctor/qualification.ts";
import { checkLines, qualificationLines } from "@kernelbot/core/terminal";
import { judgeChecks } from "@kernelbot/tester";
import { openStatusLine } from "../output/status-line.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";
import { version } from "../version.ts";

/** Options that `--qualify` passes to the tester. */
const QUALIFY_OPTIONS = ["device", "only", "minutes"] as const;

export const command = defineCommand({
  name: "doctor",
  positionals: [],
  options: {
    qualify: { type: "boolean", help: "Qualify this machine for ranking by judging known kernels; takes minutes" },
    device: { type: "string", choices: ["cpu", "cuda"], help: "With --qualify: device that the kernels run on" },
    only: { type: "string", value: "CHECK,...", help: "With --qualify: run only these checks" },
    minutes: { type: "string", value: "N", help: "With --qualify: time limit in minutes (default 8)" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Checks whether this machine can submit and judge; a failed check names its cause and remedy.",
    "Exits with 0 if every check passes, else with 3.",
  ],
  run: async ({ json, server, qualify: qualifies, ...options }) => {
    const qualifyArguments = QUALIFY_OPTIONS.flatMap((name) =>
      options[name] === undefined ? [] : [`--${name}`, options[name]],
    );
    if (qualifies) return qualify(qualifyArguments, json);
    if (qualifyArguments.length > 0) throw new UsageError(`${qualifyArguments[0]} requires --qualify`);
    const { print, width, style } = terminalOf(process.stdout);
    if (!json) print([`kernelbot ${version()}`, ""]);
    const status = openStatusLine(json);
    status.step("Checking the server and the token");
    const submit = await submitChecks(server).finally(status.end);
    if (!json) print([...checkLines("Can this machine submit?", sanitize(submit), width, style), ""]);
    const judging = openStatusLine(json);
    judging.step("Checking Python, the compilers and the sandbox; this can take a minute");
    const judge = await judgeChecks().finally(judging.end);
    if (!json) print(checkLines("Can this machine judge?", sanitize(judge), width, style));
    else process.stdout.write(`${jsonDocument({ version: version(), submit, judge })}\n`);
    return [...submit, ...judge].every((check) => check.ok) ? EXIT.passed : EXIT.platform;
  },
});

async function qualify(args: readonly string[], json: boolean): Promise<number> {
  const found = await untilInterrupted("Interrupted; no process is left running.", (signal) =>
    qualifyMachine(args, signal),
  );
  const { print, width, style } = terminalOf(process.stdout);
  if (json) process.stdout.write(`${jsonDocument({ version: version(), qualification: found })}\n`);
  else print(qualificationLines(sanitize(found), width, style));
  return found.ok ? EXIT.passed : EXIT.platform;
}
