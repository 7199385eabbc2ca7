/** What the commands that export a kernel have in common. */
import { readFile } from "node:fs/promises";
import { submissionId } from "@kernelbot/cli/src/command/arguments.ts";
import { JSON_OPTION, SERVER_OPTION, type Values } from "@kernelbot/cli/src/command/command.ts";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { connect } from "@kernelbot/cli/src/config/config.ts";
import { writeFiles } from "@kernelbot/cli/src/init/write-files.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { jsonDocument } from "@kernelbot/cli/src/output/text.ts";
import { HEADER } from "@kernelbot/cli/src/kernel-export/cpp-sources.ts";
import { readEntry, type Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { kernelNames } from "./names.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";

export const EXPORT_OPTIONS = {
  out: { type: "string", short: "o", value: "DIR", help: "Folder for the files (required)" },
  target: {
    type: "string",
    short: "t",
    value: "TARGET",
    help: "Target of the entry; required if it passed on several",
  },
  name: { type: "string", value: "NAME", help: "Name of the kernel; that of the problem by default" },
  ...JSON_OPTION,
  ...SERVER_OPTION,
} as const;

/** Condition of an export, for the help text. */
export const EXPORT_CONDITION =
  "The submission must have a licence and be a confirmed entry of its leaderboard, and its source visible to you.";

/**
 * Reads an entry and writes the files that `filesOf` makes of it.
 * @param filesOf Receives the text of `kernelbot.h` for kernels in C++ and CUDA.
 */
export async function exportKernel(
  text: string,
  { out, target, name, json, server }: Values<typeof EXPORT_OPTIONS>,
  filesOf: (entry: Entry, names: KernelNames, header: string) => Map<string, string>,
): Promise<void> {
  if (out === undefined) throw new UsageError("--out DIR is required");
  const id = submissionId(text);
  const entry = await readEntry(await connect(server), id, target);
  const names = kernelNames(entry.problem.spec.name, name);
  const files = filesOf(entry, names, entry.language === "py" ? "" : await readFile(HEADER, "utf8"));
  await writeFiles(out, files, false);
  if (json) process.stdout.write(`${jsonDocument({ submissionId: id, name: names.hub, files: [...files.keys()] })}\n`);
  else
    terminalOf(process.stdout).print([`Written to ${out}: ${names.hub}, ${entry.backend.type}, ${files.size} files.`]);
}
