import { readFile } from "node:fs/promises";
import { ProblemName } from "@kernelbot/core";
import { positiveInteger } from "@kernelbot/cli/src/command/arguments.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { readSettings } from "@kernelbot/cli/src/config/config.ts";
import { readBoardResults } from "./board-results.ts";
import { dataSetFiles } from "./export-files.ts";
import { exportedBoard, noteLines, type ExportedBoard } from "./exported-board.ts";
import { writeFiles } from "@kernelbot/cli/src/init/write-files.ts";
import { HEADER } from "@kernelbot/cli/src/kernel-export/cpp-sources.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { formatCount, jsonDocument, oneLine, sanitize } from "@kernelbot/cli/src/output/text.ts";

export const command = defineCommand({
  name: "export flashinfer-trace",
  positionals: ["BOARD..."],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Folder of the data set (required)" },
    target: {
      type: "string",
      short: "t",
      value: "TARGET",
      help: "Target of the boards, if they have entries on several",
    },
    top: { type: "string", value: "N", help: "Entries per board, from the first rank on (default: all)" },
    force: { type: "boolean", short: "f", help: "Overwrite existing files" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Writes a FlashInfer Trace data set: definition, workloads and stored tensors of each board, its entries as solutions, a " +
      "trace for each timed workload, receipts and licences. The apply functions of flashinfer-bench and FlashInfer read it; " +
      "the latter needs --top 1.",
    "Problems that were not imported get a definition derived from the inputs of their cases, for which their code runs in the " +
      "sandbox; a problem that documents cannot describe is refused with the field.",
    "Boards are read without your token, since an export is a publication. Entries need a licence, confirmation by a re-run and " +
      "a visible source; others are named with the reason. An imported definition is returned unchanged.",
  ],
  run: async ({ out, target, top, force, json, server: serverOption }, names) => {
    if (out === undefined) throw new UsageError("--out DIR is required");
    for (const name of names) {
      if (!ProblemName.safeParse(name).success) throw new UsageError(`${JSON.stringify(name)} is not a board's name`);
    }
    const { server } = await readSettings(serverOption);
    const most = top === undefined ? Infinity : positiveInteger(top, "a number of entries; use a positive integer");
    const header = await readFile(HEADER, "utf8");
    const boards: ExportedBoard[] = [];
    for (const name of new Set(names)) {
      boards.push(await exportedBoard(await readBoardResults(server, name, { target, top: most }), header));
    }
    const notes = terminalOf(process.stderr);
    notes.print(boards.flatMap(noteLines).map((line) => oneLine(sanitize(line))));
    const empty = boards.filter(({ solutions }) => solutions.length === 0);
    if (empty.length > 0) {
      const which = empty.map(({ problem }) => problem.spec.name).join(", ");
      throw new UsageError(`${which}: no entry can be exported; nothing was written`);
    }
    const files = dataSetFiles(boards, server);
    await writeFiles(out, files, force);
    const summary = boards.map(({ problem, target: on, documents, solutions, skipped }) => ({
      board: problem.spec.name,
      target: on,
      definition: documents.definition.name,
      solutions: solutions.map(({ solution }) => solution.name),
      skipped,
    }));
    if (json) process.stdout.write(`${jsonDocument({ boards: summary, files: files.size })}\n`);
    else {
      const lines = summary.map(
        ({ board, target: on, solutions }) => `${board} on ${on}: ${formatCount(solutions.length, "solution")}`,
      );
      terminalOf(process.stdout).print([...lines, `Wrote ${files.size} files to ${sanitize(out)}.`]);
    }
    return EXIT.passed;
  },
});
