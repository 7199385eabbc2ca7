import { join } from "node:path";
import { passAtKDocument, portableFileName } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { BASELINE_OPTION, baselineChoice } from "../../kernelbench/baseline-option.ts";
import { writeWhole } from "../../kernelbench/files.ts";
import { entryId } from "../../kernelbench/id.ts";
import { mergeMetadata } from "../../kernelbench/metadata-file.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench results",
  positionals: ["ID"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Folder for the documents (required)" },
    ...BASELINE_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Writes results/ID.json with the metrics of each level, metadata.json with one element for each entry, to which this one " +
      "is added or in which it is replaced, and runs/NAME_levelN/eval_results.json with the result of each kernel. If a problem has " +
      "several samples, pass_at_k_results.json next to it has pass@k. Times are in milliseconds.",
  ],
  run: async ({ out, baseline, json, server }, text) => {
    if (out === undefined) throw new UsageError("--out DIR is required");
    const id = entryId(text);
    const { kernelbench } = (await connect(server)).client;
    const results = await kernelbench.results(id, baselineChoice(baseline));
    const { entry, level_results: levels } = results;
    const documents: Record<string, unknown> = { [join("results", `${fileName(entry.unique_id)}.json`)]: results };
    for (const { level, total_eval: evaluated, total_count: problems } of levels) {
      if (evaluated === 0) continue;
      const folder = join("runs", `${fileName(entry.id)}_level${level}`);
      const evalResults = await kernelbench.evalResults(id, level);
      documents[join(folder, "eval_results.json")] = evalResults;
      const passAtK = passAtKDocument(evalResults, problems);
      if (passAtK !== null) documents[join(folder, "pass_at_k_results.json")] = passAtK;
    }
    for (const [path, document] of Object.entries(documents)) {
      await writeWhole(join(out, path), `${JSON.stringify(document, null, 2)}\n`);
    }
    await mergeMetadata(join(out, "metadata.json"), entry);
    const files = ["metadata.json", ...Object.keys(documents)];
    if (json) process.stdout.write(`${jsonDocument({ folder: out, files })}\n`);
    else terminalOf(process.stdout).print(files.map((path) => join(out, path)));
    return EXIT.passed;
  },
});

/** Turns a name from the server into a safe file name that contains no path. */
function fileName(name: string): string {
  return portableFileName(name.replace(/[^\w.-]/g, "_"));
}
