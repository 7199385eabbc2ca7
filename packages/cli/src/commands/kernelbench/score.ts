import { isDeepStrictEqual } from "node:util";
import { excessiveSpeedups, scoredKernels } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { BASELINE_OPTION, baselineChoice } from "../../kernelbench/baseline-option.ts";
import { readWholeEntry } from "../../kernelbench/read-entry.ts";
import { rescored } from "../../kernelbench/rescore.ts";
import { scoreResultsFile } from "../../kernelbench/score-results.ts";
import { excessiveLines, MEASURED_ROBUST_HEADING, scoreLines } from "../../render/entries.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument, wrap } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench score",
  positionals: ["[ENTRY]"],
  options: {
    results: { type: "string", value: "FILE", help: "Score measured results in place of an entry" },
    ...BASELINE_OPTION,
    suite: {
      type: "string",
      value: "NAME",
      help: "With --results: suite of the server (default: the 250 problems of KernelBench)",
    },
    "suite-file": { type: "string", value: "FILE", help: "File of the suite (default: read from the server)" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "ENTRY is a number, or a file with the output of kernelbot kernelbench show ID --json; write ./12 for a file named 12. With " +
      "a file, --suite-file (from kernelbot kernelbench suite show NAME --json) and no stored baseline, no request is sent.",
    "If the file has different metrics against the same baseline, reports that and exits with 1.",
    "--results reads the format of docs/reference/kernelbench.md. Speedups are against the baseline times in the file, or " +
      "with --baseline stored:ID against a stored baseline.",
  ],
  run: async (values, named) => {
    const { results, suite: suiteName, "suite-file": suiteFile, json, server } = values;
    const baseline = baselineChoice(values.baseline);
    const client = async () => (await connect(server)).client;
    const { print, width, style } = terminalOf(process.stdout);
    if (results !== undefined) {
      if (named !== undefined) throw new UsageError("use either ENTRY or --results FILE, not both");
      const measured = await scoreResultsFile(client, { file: results, suite: suiteName, suiteFile, baseline });
      const { score, excessive, warnings } = sanitize(measured);
      if (json) process.stdout.write(`${jsonDocument({ score, excessive, warnings })}\n`);
      else {
        const notes = warnings.flatMap((warning) => ["", ...wrap(warning, width)]);
        print([
          ...scoreLines(score, { width, style }, MEASURED_ROBUST_HEADING),
          ...excessiveLines(excessive),
          ...notes,
        ]);
      }
      return EXIT.passed;
    }
    if (named === undefined) throw new UsageError("ENTRY or --results FILE is required");
    if (suiteName !== undefined) throw new UsageError("--suite requires --results: an entry has a suite of its own");
    const { entry, suite, stored } = await readWholeEntry(client, { entry: named, suiteFile, baseline });
    const { score } = rescored(entry, suite, baseline, stored);
    const excessive = excessiveSpeedups(scoredKernels(entry.results, baseline, stored));
    const agrees = isDeepStrictEqual(entry.score.baseline, baseline) ? isDeepStrictEqual(entry.score, score) : null;
    if (json) process.stdout.write(`${jsonDocument({ score, agrees, excessive })}\n`);
    else {
      print([
        ...scoreLines(sanitize(score), { width, style }),
        ...excessiveLines(excessive),
        ...(agrees === null ? [] : ["", agrees ? "The metrics in the document are the same." : DIFFER]),
      ]);
    }
    return agrees === false ? EXIT.failed : EXIT.passed;
  },
});

const DIFFER = "The metrics in the document differ: it was changed, or computed with other rules.";
