import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { solutionFromSubmission } from "@kernelbot/core";
import { defineCommand } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { readSource } from "@kernelbot/cli/src/submission/source-file.ts";

export const command = defineCommand({
  name: "convert",
  positionals: ["FILE"],
  options: {
    out: { type: "string", short: "o", value: "FILE", help: "File to write (default: standard output)" },
    force: { type: "boolean", help: "Overwrite the file" },
  },
  notes: [
    "A FlashInfer Trace solution, FILE.json, becomes a submission: a Python file with directives, and with the sources of " +
      "all its files. A submission with the directive solution becomes the solution again:\n" +
      '    #!KERNELBOT solution {"name": "v1", "definition": "scale_rows", "author": "me", "path": "main.py", "spec": {...}}',
    "Commands that take a file of a submission take a solution, too.",
  ],
  run: async ({ out, force }, file) => {
    const { source } = await readSource(file);
    const isSolution = file.endsWith(".json");
    const text = isSolution ? source : `${JSON.stringify(solutionFromSubmission(source, basename(file)), null, 2)}\n`;
    if (out === undefined) process.stdout.write(text);
    else await write(out, text, force);
    return EXIT.passed;
  },
});

async function write(path: string, text: string, force: boolean): Promise<void> {
  const before = await readFile(path, "utf8").catch(() => null);
  if (before !== null && before !== text && !force)
    throw new UsageError(`${JSON.stringify(path)} exists; use --force to overwrite it`);
  await writeFile(path, text);
}
