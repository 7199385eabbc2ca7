import { basename, resolve } from "node:path";
import { type SyncRequest } from "@kernelbot/core";
import type { z } from "zod";
import { checkoutByGit, isGitAddress } from "../../git/git-checkout.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { readProblemTree } from "../../problem/problem-tree.ts";
import { syncLines } from "../../render/sync.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

type Request = z.input<typeof SyncRequest>;

export const command = defineCommand({
  name: "problems sync",
  about: "Takes problems from a folder or a repository: new ones, and new versions of those that changed.",
  positionals: [],
  options: {
    from: { type: "string", value: "DIR|URL", help: "The folder, or the address that git fetches" },
    ref: { type: "string", value: "REF", help: "Of an address: a branch, a tag or a commit" },
    set: { type: "string", value: "NAME", help: "This set alone" },
    closed: { type: "boolean", help: "Show new problems only to the members of their competition" },
    "dry-run": { type: "boolean", help: "Say what would change, and change nothing" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "With --closed, a new problem that no competition file names gets a closed competition of its name, and a new file " +
      "without a visibility makes a closed competition. What exists and is public is refused, and stays as it is.",
    "Problems lie as SET/PROBLEM/task.yml, in the folder or in its folder problems.",
    "A problem is taken whole or not at all, and one that is broken stops no other; then the exit code is 2. What is gone " +
      "from the source is told and stays.",
  ],
  run: ({ from, ref, set, closed, "dry-run": dryRun, json, server }) => {
    if (from === undefined) throw new UsageError("say where the problems are: --from DIR, or --from URL");
    return untilInterrupted("Stopped.", async (signal) => {
      const { client } = await connect(server);
      const visibility = closed ? "closed" : null;
      const asked = { ...(await read(from, ref, signal)), set: set ?? null, visibility, dryRun } as const;
      const report = await client.syncProblems(asked);
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
  signal: AbortSignal,
): Promise<Pick<Request, "source" | "revision" | "files">> {
  if (!isGitAddress(from)) {
    if (ref !== undefined) throw new UsageError("--ref is of an address, and this is a folder");
    return { source: `folder ${basename(resolve(from))}`, revision: null, files: await readProblemTree(from) };
  }
  console.error(`Fetching ${ref ?? "HEAD"} by git.`);
  await using fetched = await checkoutByGit(from, ref, signal);
  return { source: fetched.address, revision: fetched.commit, files: await readProblemTree(fetched.folder) };
}
