import { defineCommand } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { writeProblem } from "../../problem/skeleton.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize } from "../../output/text.ts";

export const command = defineCommand({
  name: "problem new",
  about: "Writes a complete problem that passes every check, to be changed into your own.",
  positionals: ["NAME"],
  options: {
    set: { type: "string", short: "s", value: "DIR", default: ".", help: "The set that it belongs to" },
    cpp: { type: "boolean", help: "Take submissions in C++ too" },
  },
  notes: ["The problem is the directory DIR/NAME. docs/guides/write-a-problem.md says what its files have to hold."],
  run: async ({ set, cpp }, name) => {
    const directory = sanitize(await writeProblem({ name, set, cpp }));
    terminalOf(process.stdout).print([
      `${directory} is written: task.yml, reference.py, task.py, starters and solutions/.`,
      "Change them into your problem, and see what is wrong with it:",
      "",
      `  kernelbot problem check ${directory}`,
    ]);
    return EXIT.passed;
  },
});
