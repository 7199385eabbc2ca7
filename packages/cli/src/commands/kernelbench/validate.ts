import { MAX_ENTRY_BYTES } from "@kernelbot/core";
import { defineCommand, JSON_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { checkedFile, STRICT_NOTE, STRICT_OPTION } from "../../kernelbench/submission-file.ts";
import { readBounded } from "../../kernelbench/files.ts";
import { namedSuite, SUITE_NOTE, SUITE_OPTIONS } from "../../kernelbench/suite-problems.ts";
import { checkLines } from "../../render/entry-check.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench validate",
  positionals: ["FILE"],
  options: { ...SUITE_OPTIONS, ...STRICT_OPTION, ...JSON_OPTION },
  notes: [
    SUITE_NOTE,
    STRICT_NOTE,
    "Exits with 0 if the file can be submitted, also with warnings, and with 1 if it has errors.",
  ],
  run: async ({ json, strict, ...named }, file) => {
    const text = await readBounded(file, MAX_ENTRY_BYTES);
    const { check } = checkedFile(text, await namedSuite(named), strict);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(check)}\n`);
    else print(checkLines(sanitize(check), width, style));
    return check.ok ? EXIT.passed : EXIT.failed;
  },
});
