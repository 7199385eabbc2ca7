import { judgeChecks, submitChecks } from "../checks.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command.ts";
import { EXIT } from "../exit.ts";
import { checkLines } from "../render/checks.ts";
import { terminalOf } from "../terminal.ts";
import { cleaned, jsonDocument } from "../text.ts";
import { version } from "../version.ts";

export const command = defineCommand({
  name: "doctor",
  about: "Says what this machine can do, and where it cannot, why and what to do.",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Exits with 0 where every check passes, else with 3."],
  run: async ({ json, server }) => {
    const { print, width, style } = terminalOf(process.stdout);
    if (!json) print([`kernelbot ${version()}`, ""]);
    const submit = await submitChecks(server);
    if (!json) print([...checkLines("Can this machine submit?", cleaned(submit), width, style), ""]);
    const judge = await judgeChecks();
    if (!json) print(checkLines("Can this machine judge?", cleaned(judge), width, style));
    else process.stdout.write(`${jsonDocument({ version: version(), submit, judge })}\n`);
    return [...submit, ...judge].every((check) => check.ok) ? EXIT.passed : EXIT.platform;
  },
});
