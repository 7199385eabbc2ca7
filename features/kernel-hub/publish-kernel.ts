import { KernelBotError } from "@kernelbot/core";
import { PublicationError, publishBranch, readHubOptions, type HubFile } from "@kernelbot/dataset";
import { defineCommand, JSON_OPTION } from "@kernelbot/cli/src/command/command.ts";
import { EXIT, UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { untilInterrupted } from "@kernelbot/cli/src/command/interrupt.ts";
import { readPublishedFolder } from "./published-folder.ts";
import { terminalOf } from "@kernelbot/cli/src/output/terminal.ts";
import { jsonDocument } from "@kernelbot/cli/src/output/text.ts";

export const command = defineCommand({
  name: "publish kernel",
  positionals: ["DIR"],
  options: {
    repo: { type: "string", value: "OWNER/NAME", help: "Kernel repository; created if it is missing (required)" },
    ...JSON_OPTION,
  },
  notes: [
    "Publishes a folder of kernelbot export kernel to the Hugging Face Hub: its card to the branch main, and everything " +
      "to the branch of its version, such as v1. Builds of other backends there are kept.",
    "Set KERNELBOT_HUGGING_FACE_TOKEN to a token that may write to the repository; KERNELBOT_HUGGING_FACE_URL names " +
      "another hub. Hugging Face decides who may create kernel repositories.",
  ],
  run: async ({ repo, json }, folder) => {
    if (repo === undefined) throw new UsageError("--repo OWNER/NAME is required");
    const hub = readHubOptions(process.env, repo, "--repo");
    const { version, variants, files } = await readPublishedFolder(folder, repo);
    const branch = `v${version}`;
    const replaced = ["benchmarks/", "receipt/", "tests/", ...variants.map((variant) => `build/${variant}/`)];
    const cards = files.filter(({ path }) => path === "README.md" || path === "LICENSE");
    const commit = await untilInterrupted("Interrupted. Repeat the command to resume.", async (signal) => {
      const publish = (name: string, content: HubFile[], isStale: (path: string) => boolean): Promise<string> =>
        publishBranch(
          hub,
          { type: "kernel", branch: name, files: content, isStale, title: `Kernel ${branch}`, description: "" },
          { onProgress: () => undefined, signal, backoffMs: (tries) => 1000 * 2 ** (tries - 1) },
        );
      try {
        const made = await publish(branch, files, (path) => replaced.some((part) => path.startsWith(part)));
        await publish("main", cards, () => false);
        return made;
      } catch (error) {
        if (!(error instanceof PublicationError)) throw error;
        if (error.waitMs === null) throw new UsageError(error.message, { cause: error });
        throw new KernelBotError("unavailable", `${error.message}; repeat the command to resume`);
      }
    });
    const url = `${hub.hubUrl}/kernels/${repo}/tree/${commit}`;
    if (json) process.stdout.write(`${jsonDocument({ repository: repo, version, variants, commit, url })}\n`);
    else terminalOf(process.stdout).print([`Published version ${version} for ${variants.join(", ")}: ${url}`]);
    return EXIT.passed;
  },
});
