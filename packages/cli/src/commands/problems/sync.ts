import { basename, resolve } from "node:path";
import type { ProblemTree, SyncRequest } from "@kernelbot/core";
import type { z } from "zod";
import { checkoutByGit, isGitAddress } from "../../git/git-checkout.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { checkTreeSize, readProblemTree } from "@kernelbot/tester/problem-tree";
import { importDataSet, PARTIAL_HELP } from "../../flashinfer-trace/import.ts";
import { targetsFrom } from "../../command/arguments.ts";
import { syncOrAsk } from "../../problem/sync-names.ts";
import { syncLines } from "../../render/sync.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const FORMATS = ["problems", "flashinfer-trace"] as const;

type Request = z.input<typeof SyncRequest>;

export const command = defineCommand({
  name: "problems sync",
  positionals: ["[FROM]"],
  options: {
    from: { type: "string", value: "DIR|URL", help: "Folder, or URL of a Git repository, if not the argument" },
    ref: { type: "string", value: "REF", help: "With a URL: branch, tag or commit (default HEAD)" },
    format: { type: "string", choices: FORMATS, default: "problems", help: "Documents of the source" },
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      multiple: true,
      help: "With flashinfer-trace: target of the problems (default cpu)",
    },
    partial: {
      type: "boolean",
      help: `With flashinfer-trace: ${PARTIAL_HELP[0]?.toLowerCase()}${PARTIAL_HELP.slice(1)}`,
    },
    set: { type: "string", value: "NAME", help: "Sync this set only" },
    prefix: { type: "string", value: "TEXT", help: "Put TEXT before the name of each problem" },
    replace: { type: "boolean", help: "Replace problems of the server's own folder that have the same names" },
    closed: { type: "boolean", help: "Make new problems visible only to members of their competition" },
    "dry-run": { type: "boolean", help: "Show the changes without making them" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Adds new problems, and new versions of changed ones. Problems are at SET/PROBLEM/task.yml, in the folder or in its " +
      "subfolder problems. For organisers.",
    "Each problem is synced entirely or not at all. Invalid problems are rejected, without affecting others, and the exit " +
      "code is 2. Problems missing from the source are reported and kept.",
    "If the server's own folder has other problems of the same names, nothing is changed, unless --prefix gives the problems " +
      "other names or --replace replaces those; in a terminal, the command asks. Use the same --prefix in each sync.",
    "With --closed, a new problem that no competition file names gets a closed competition with its name, and a new " +
      "competition file without a visibility creates a closed competition. Existing public problems are rejected unchanged.",
    "With --format flashinfer-trace, the source is a data set of definitions and workloads. It is synced entirely or not at " +
      "all, unless --partial leaves out definitions and workloads with faults: every fault is listed with its file and field.",
  ],
  run: (
    { from: option, ref, format, target, partial, set, prefix, replace, closed, "dry-run": dryRun, json, server },
    argument,
  ) => {
    if (option !== undefined && argument !== undefined) throw new UsageError("name the source once");
    const from = option ?? argument;
    if (from === undefined) throw new UsageError("--from DIR or --from URL is required");
    const isOfTrace = target.length > 0 ? "--target" : partial ? "--partial" : null;
    if (isOfTrace !== null && format === "problems")
      throw new UsageError(`${isOfTrace} requires --format flashinfer-trace`);
    const readTree =
      format === "problems"
        ? readProblemTree
        : (folder: string) => readTraceTree(folder, { targets: targetsFrom(target, ["cpu"]), partial });
    return untilInterrupted("Interrupted.", async (signal) => {
      const { client } = await connect(server);
      const visibility = closed ? "closed" : null;
      const names = { prefix: prefix ?? null, replace };
      const request = { ...(await read(from, ref, readTree, signal)), set: set ?? null, visibility, dryRun } as const;
      const report = await syncOrAsk(client, { ...request, ...names });
      const { print, width, style } = terminalOf(process.stdout);
      if (json) process.stdout.write(`${jsonDocument(report)}\n`);
      else print(syncLines(sanitize(report), width, style));
      const outcomes = [...report.problems, ...report.competitions];
      return outcomes.some(({ outcome }) => outcome === "refused") ? EXIT.usage : EXIT.passed;
    });
  },
});

async function read(
  from: string,
  ref: string | undefined,
  readTree: (folder: string) => Promise<ProblemTree>,
  signal: AbortSignal,
): Promise<Pick<Request, "source" | "revision" | "files">> {
  if (!isGitAddress(from)) {
    if (ref !== undefined) throw new UsageError("--ref requires a URL, and --from is a folder");
    return { source: `folder ${basename(resolve(from))}`, revision: null, files: await readTree(from) };
  }
  console.error(`Fetching ${ref ?? "HEAD"} with git.`);
  await using fetched = await checkoutByGit(from, ref, signal);
  return { source: fetched.address, revision: fetched.commit, files: await readTree(fetched.folder) };
}

/** Reads a FlashInfer Trace data set as a tree of problems; examples are not synced. */
async function readTraceTree(folder: string, options: Parameters<typeof importDataSet>[1]): Promise<ProblemTree> {
  const problems = await importDataSet(folder, options);
  const tree: ProblemTree = {};
  for (const { name, files } of problems) {
    for (const [path, text] of Object.entries(files))
      if (!path.includes("/")) tree[`flashinfer-trace/${name}/${path}`] = text;
  }
  checkTreeSize(Object.values(tree));
  return tree;
}
