/** What the commands that export a kernel have in common. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TESTER_DIRECTORY } from "@kernelbot/tester";
import { submissionId } from "../command/arguments.ts";
import { JSON_OPTION, SERVER_OPTION, type Values } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { connect } from "../config/config.ts";
import { writeFiles } from "../init/write-files.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";
import { readEntry, type Entry } from "./entry.ts";
import { kernelNames, type KernelNames } from "./names.ts";

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

/** The header that kernels in C++ and CUDA include. */
export const HEADER = join(TESTER_DIRECTORY, "kernelbot_tester", "worker", "cpp", "kernelbot.h");
