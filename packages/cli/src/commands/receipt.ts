import { writeFile } from "node:fs/promises";
import { hasReceipt, compareTargets } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, listed } from "../output/text.ts";

export const command = defineCommand({
  name: "receipt",
  positionals: ["ID"],
  options: {
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      help: "Target of the receipt; required if it passed on several",
    },
    out: { type: "string", short: "o", value: "FILE", help: "Write the receipt to FILE (default: standard output)" },
    ...SERVER_OPTION,
  },
  notes: [
    "Prints JSON; kernelbot verify checks it. Receipts of other accounts are linked on the pages of their submissions.",
  ],
  run: async ({ target, out, server }, text) => {
    const id = submissionId(text);
    const { client } = await connect(server);
    const submission = await client.submission(id);
    const { mode } = submission;
    const passed = submission.runs.filter(({ verdict, imported }) => hasReceipt({ mode, verdict, imported }));
    const chosen = passed.filter((run) => target === undefined || run.target === target);
    const [run] = chosen;
    if (run === undefined) {
      const where = target === undefined ? "" : ` on ${JSON.stringify(target)}`;
      throw new UsageError(`submission ${id} has no receipt${where}: it has no ranked run that passed`);
    }
    if (chosen.length > 1) {
      throw new UsageError(
        `--target NAME is required: submission ${id} passed on ${listed(chosen.map((each) => each.target).toSorted(compareTargets))}`,
      );
    }
    const receipt = `${await client.receipt(run.id)}\n`;
    if (out === undefined) process.stdout.write(process.stdout.isTTY ? sanitize(receipt) : receipt);
    else {
      await write(out, receipt);
      terminalOf(process.stdout).print([`Written to ${out}. To check it: kernelbot verify ${out}`]);
    }
    return EXIT.passed;
  },
});

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new UsageError(`cannot write ${JSON.stringify(path)}: ${(error as Error).message}`, { cause: error });
  }
}
