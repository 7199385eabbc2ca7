import { defineCommand } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { writeProblem } from "../../problem/skeleton.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize } from "../../output/text.ts";

export const command = defineCommand({
  name: "problem new",
  positionals: ["NAME"],
  options: {
    set: { type: "string", short: "s", value: "DIR", default: ".", help: "Folder of the problem set" },
    cpp: { type: "boolean", help: "Accept submissions in C++, too" },
  },
  notes: [
    "Writes a complete example, an RMS normalization, to DIR/NAME. Replace its parts with those of your problem: docs/guides/write-a-problem.md describes its files.",
  ],
  run: async ({ set, cpp }, name) => {
    const directory = sanitize(await writeProblem({ name, set, cpp }));
    terminalOf(process.stdout).print([
      `Wrote ${directory}: a complete example, the RMS normalization of rows, in task.yml, reference.py, task.py, starters and solutions/.`,
      "Replace its parts with those of your problem, then check it:",
      "",
      `  kernelbot problem check ${directory}`,
    ]);
    return EXIT.passed;
  },
});
