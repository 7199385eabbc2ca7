import { isDeepStrictEqual } from "node:util";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT } from "../../exit.ts";
import { BASELINE_OPTION, baselineChoice } from "../../kernelbench/baseline.ts";
import { readWholeEntry } from "../../kernelbench/read-entry.ts";
import { rescored } from "../../kernelbench/rescore.ts";
import { scoreLines } from "../../render/entries.ts";
import { terminalOf } from "../../terminal.ts";
import { cleaned, jsonDocument } from "../../text.ts";

export const command = defineCommand({
  name: "kernelbench score",
  about: "Computes the figures of an entry here, from the stored results of its kernels.",
  positionals: ["ENTRY"],
  options: {
    ...BASELINE_OPTION,
    "suite-file": { type: "string", value: "FILE", help: "The suite, if not the server's" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "ENTRY is a number, or a file that kernelbot kernelbench show ID --json printed; a file with such a name is ./12. With " +
      "a file, --suite-file (of kernelbot kernelbench suite show NAME --json) and no stored baseline, no server is asked.",
    "Where the document has figures against the same baseline that are others, that is said, and the exit code is 1.",
  ],
  run: async ({ baseline: text, "suite-file": suiteFile, json, server }, named) => {
    const baseline = baselineChoice(text);
    const client = async () => (await connect(server)).client;
    const { entry, suite, stored } = await readWholeEntry(client, { entry: named, suiteFile, baseline });
    const { score } = rescored(entry, suite, baseline, stored);
    const told = isDeepStrictEqual(entry.score.baseline, baseline) ? isDeepStrictEqual(entry.score, score) : null;
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ score, agrees: told })}\n`);
    else {
      print([
        ...scoreLines(cleaned(score), { width, style }),
        ...(told === null ? [] : ["", told ? "The figures of the document are the same." : DIFFER]),
      ]);
    }
    return told === false ? EXIT.failed : EXIT.passed;
  },
});

const DIFFER = "The figures of the document are others: it was computed by other rules, or was changed.";
