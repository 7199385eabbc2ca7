import { targetsFrom } from "@kernelbot/cli/src/command/arguments.ts";
import { defineCommand } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { formatCount, sanitize } from "@kernelbot/cli/src/output/text.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { generateProblems } from "./generator.ts";
import { writeGenerated } from "@kernelbot/cli/src/problem/write-generated.ts";

const TARGETS = ["cpu", "H100"];

export const command = defineCommand({
  name: "problem generate",
  positionals: [],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Folder of the problem set (required)" },
    count: { type: "string", short: "n", value: "N", default: "100", help: "Number of problems" },
    seed: { type: "string", value: "N", default: "1", help: "Seed, of which the problems are drawn" },
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      multiple: true,
      help: `Target of the problems (default ${TARGETS.join(" and ")})`,
    },
  },
  notes: [
    "Writes DIR/gen-SEED-NUMBER-OPERATIONS for each problem: a program of PyTorch whose operations, shapes and types are drawn " +
      'from the seed. The guide "Create training problems" leads from here to a reward.',
    "One version gives the same files for the same seed and targets, and a larger count adds problems to those of a " +
      "smaller one. Problems that exist are left; one with other content ends the command with 2.",
  ],
  run: async ({ out, count, seed, target }) => {
    if (out === undefined) throw new UsageError("--out DIR is required");
    const targets = targetsFrom(target, TARGETS);
    const total = parse("count", count, 1, 100_000);
    const generation = { seed: parse("seed", seed, 0, 999_999_999), count: total, targets };
    const created = await writeGenerated(out, generateProblems(generation));
    const kept = created === total ? "" : `; ${total - created} existed`;
    const directory = sanitize(out);
    terminalOf(process.stdout).print([
      `Wrote ${formatCount(created, "problem")} to ${directory}${kept}.`,
      "Check them:",
      "",
      `  kernelbot problem check ${directory} --quick --jobs 4`,
    ]);
    return EXIT.passed;
  },
});

function parse(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`--${option} must be an integer from ${least} to ${most}, not ${JSON.stringify(text)}`);
}
