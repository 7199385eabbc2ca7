import { targetsFrom } from "@kernelbot/cli/src/command/arguments.ts";
import { defineCommand } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { importDataSet, PARTIAL_HELP } from "@kernelbot/cli/src/flashinfer-trace/import.ts";
import { formatCount, sanitize } from "@kernelbot/cli/src/output/text.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { writeGenerated } from "@kernelbot/cli/src/problem/write-generated.ts";

export const command = defineCommand({
  name: "problem import",
  positionals: ["DIR"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Folder of the problem set (required)" },
    target: { type: "string", short: "t", value: "NAME", multiple: true, help: "Target of the problems (default cpu)" },
    partial: { type: "boolean", help: PARTIAL_HELP },
  },
  notes: [
    "Converts each definition of the FlashInfer Trace data set in DIR to a problem, and each of its workloads to a case. " +
      "Nothing is written if a document is invalid or cannot be judged: every fault is listed with its file and field. " +
      'With --partial, definitions and workloads with faults are left out. The page "Conversion of FlashInfer Trace documents" says what is converted to what.',
    "For accelerators all workloads become cases; for cpu the smallest, and the others are named.",
  ],
  run: async ({ out, target, partial }, folder) => {
    if (out === undefined) throw new UsageError("--out DIR is required");
    const problems = await importDataSet(folder, { targets: targetsFrom(target, ["cpu"]), partial });
    const created = await writeGenerated(out, problems);
    const kept = created === problems.length ? "" : `; ${problems.length - created} existed`;
    const directory = sanitize(out);
    terminalOf(process.stdout).print([
      `Wrote ${formatCount(created, "problem")} to ${directory}${kept}.`,
      "Check them:",
      "",
      `  kernelbot problem check ${directory}`,
    ]);
    return EXIT.passed;
  },
});
