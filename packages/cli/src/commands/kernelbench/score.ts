import { isDeepStrictEqual } from "node:util";
import { excessiveSpeedups, scoredKernels } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { BASELINE_OPTION, baselineChoice } from "../../kernelbench/baseline-option.ts";
import { readWholeEntry } from "../../kernelbench/read-entry.ts";
import { rescored } from "../../kernelbench/rescore.ts";
import { scoreResultsFile } from "../../kernelbench/score-results.ts";
import { excessiveLines, scoreLines } from "../../render/entries.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument, wrap } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench score",
  about: "Computes the figures of an entry, or of results that were measured elsewhere.",
  positionals: ["[ENTRY]"],
  options: {
    results: { type: "string", value: "FILE", help: "Score this document of results in place of an entry" },
    ...BASELINE_OPTION,
    suite: { type: "string", value: "NAME", help: "With --results: the suite, if not the 250 problems of KernelBench" },
    "suite-file": { type: "string", value: "FILE", help: "The suite, if not the server's" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "ENTRY is a number, or a file that kernelbot kernelbench show ID --json printed; a file with such a name is ./12. With " +
      "a file, --suite-file (of kernelbot kernelbench suite show NAME --json) and no stored baseline, no server is asked.",
    "Where the document has figures against the same baseline that are others, that is said, and the exit code is 1.",
    "--results takes what any program measured, as docs/reference/kernelbench.md describes it. Speed-ups are against the times of the " +
      "baseline in the document, or with --baseline stored:ID against a stored one.",
  ],
  run: async (values, named) => {
    const { results, suite: suiteName, "suite-file": suiteFile, json, server } = values;
    const baseline = baselineChoice(values.baseline);
    const client = async () => (await connect(server)).client;
    const { print, width, style } = terminalOf(process.stdout);
    if (results !== undefined) {
      if (named !== undefined) throw new UsageError("say which to score: ENTRY or --results, not both");
      const measured = await scoreResultsFile(client, { file: results, suite: suiteName, suiteFile, baseline });
      const { score, excessive, warnings } = sanitize(measured);
      if (json) process.stdout.write(`${jsonDocument({ score, excessive, warnings })}\n`);
      else {
        const notes = warnings.flatMap((warning) => ["", ...wrap(warning, width)]);
        print([...scoreLines(score, { width, style }), ...excessiveLines(excessive), ...notes]);
      }
      return EXIT.passed;
    }
    if (named === undefined)
      throw new UsageError("say what to score: the number or the file of an ENTRY, or --results FILE");
    if (suiteName !== undefined) throw new UsageError("--suite goes with --results; the suite of an entry is its own");
    const { entry, suite, stored } = await readWholeEntry(client, { entry: named, suiteFile, baseline });
    const { score } = rescored(entry, suite, baseline, stored);
    const excessive = excessiveSpeedups(scoredKernels(entry.results, baseline, stored));
    const told = isDeepStrictEqual(entry.score.baseline, baseline) ? isDeepStrictEqual(entry.score, score) : null;
    if (json) process.stdout.write(`${jsonDocument({ score, agrees: told, excessive })}\n`);
    else {
      print([
        ...scoreLines(sanitize(score), { width, style }),
        ...excessiveLines(excessive),
        ...(told === null ? [] : ["", told ? "The figures of the document are the same." : DIFFER]),
      ]);
    }
    return told === false ? EXIT.failed : EXIT.passed;
  },
});

const DIFFER = "The figures of the document are others: it was computed by other rules, or was changed.";
