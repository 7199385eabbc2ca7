import { KernelBotError, ProblemName, startersOf, statementOf } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { guideOf } from "../init/agent-guide.ts";
import { layoutOf } from "../init/problem-layout.ts";
import { writeFiles } from "../init/write-files.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, formatCount, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "init",
  positionals: ["BOARD", "[DIR]"],
  options: {
    force: { type: "boolean", short: "f", help: "Overwrite existing files, your kernel included" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Writes into DIR (default BOARD): README.md (the task), AGENTS.md (how to test, submit and read failures), a starter " +
      "kernel for each language, and problem/BOARD for kernelbot eval.",
  ],
  run: async ({ force, json, server }, board, folder = board) => {
    if (!ProblemName.safeParse(board).success)
      throw new UsageError(
        `${JSON.stringify(board)} is not a valid leaderboard name; kernelbot problems list shows them`,
      );
    const { client } = await connect(server);
    const problem = await client.problem(board);
    if (problem.spec.name !== board) {
      throw new KernelBotError("unavailable", "the server returned a different problem; nothing was written");
    }
    if (problem.spec.harness === "imported") {
      throw new UsageError(`${board} was imported with its results and has no files to work with`);
    }
    const { directory, files: laidOut } = layoutOf(problem);
    const starters = startersOf(problem);
    const files = new Map([
      ...laidOut,
      ...starters.map(({ fileName, source }) => [fileName, source] as const),
      ["README.md", statementOf(problem)],
      ["AGENTS.md", guideOf(problem, directory, starters)],
    ]);
    await writeFiles(folder, files, force);
    const names = [...files.keys()].toSorted();
    if (json) process.stdout.write(`${jsonDocument({ board, folder, files: names })}\n`);
    else {
      const kernel = starters[0]?.fileName ?? "FILE";
      terminalOf(process.stdout).print([
        `Wrote ${formatCount(names.length, "file")} to ${folder}:`,
        ...sanitize(names).map((name) => `  ${name}`),
        "",
        `Next: cd ${folder}`,
        `      kernelbot eval ${kernel} --problem ${directory}`,
        `      kernelbot submit ${kernel}`,
      ]);
    }
    return EXIT.passed;
  },
});
