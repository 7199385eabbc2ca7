import { KernelBenchEntryFile, MAX_ENTRY_BYTES, splitEntry } from "@kernelbot/core";
import { join } from "node:path";
import { z } from "zod";
import { defineCommand, JSON_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { parsedJson, readBounded, writeWhole } from "../../kernelbench/files.ts";
import { terminalOf } from "../../output/terminal.ts";
import { formatCount, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench split",
  positionals: ["FILE"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Folder for the kernels (required)" },
    ...JSON_OPTION,
  },
  notes: [
    "Writes each kernel to a file, in a folder for each level, and overwrites existing files. kernelbot kernelbench combine is " +
      "the inverse.",
  ],
  run: async ({ out, json }, path) => {
    if (out === undefined) throw new UsageError("--out DIR is required");
    const parsed = KernelBenchEntryFile.safeParse(parsedJson(await readBounded(path, MAX_ENTRY_BYTES)));
    if (!parsed.success) {
      const why = z.prettifyError(parsed.error).split("\n").slice(0, 2).join("");
      throw new UsageError(`${JSON.stringify(path)} is not a valid submission file: ${why}`);
    }
    const files = splitEntry(parsed.data);
    for (const file of files) await writeWhole(join(out, file.path), file.text);
    if (json) process.stdout.write(`${jsonDocument({ folder: out, files: files.map((file) => file.path) })}\n`);
    else terminalOf(process.stdout).print([`Wrote ${formatCount(files.length, "kernel")} to ${out}.`]);
    return EXIT.passed;
  },
});
