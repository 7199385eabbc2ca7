import { formatCount, type Erasure, type ErasurePreview } from "@kernelbot/core";
import { defineRequest } from "../../request/request.ts";
import { Interrupted, UsageError } from "../../command/exit.ts";
import { canPrompt } from "../../command/prompt.ts";

export const command = defineRequest({
  name: "account erase",
  options: {
    "dry-run": { type: "boolean", help: "Print what would be deleted and kept; change nothing" },
    "remove-results": { type: "boolean", help: "Also remove the results from leaderboards" },
    confirm: { type: "string", value: "NAME", help: "Name of the account, instead of the question in a terminal" },
    account: { type: "string", value: "NAME", help: "Account of someone else, on their request; for administrators" },
  },
  notes: [
    "Deletes what the server stores about you: identities, e-mail addresses, sessions, tokens, webhooks, sources, outputs and " +
      "files. Unfinished runs are cancelled. Results stay on leaderboards under a pseudonym, so that ranks do not change, " +
      "unless you use --remove-results. An erasure cannot be undone. Export your data first: kernelbot account export.",
  ],
  request: async ({ client }, options): Promise<{ preview: ErasurePreview; erasure: Erasure | null }> => {
    const preview = await client.personalData.previewErasure(options.account);
    if (options["dry-run"]) return { preview, erasure: null };
    const name = options.confirm ?? (await typedName(preview));
    const request = { name, removeResults: options["remove-results"] };
    return { preview, erasure: await client.personalData.erase(request, options.account) };
  },
  lines: ({ preview, erasure }) => (erasure === null ? previewLines(preview) : erasureLines(erasure)),
});

async function typedName(preview: ErasurePreview): Promise<string> {
  const { name } = preview.account;
  if (!canPrompt()) {
    throw new UsageError(
      `an erasure cannot be undone; without a terminal to confirm in, use --confirm ${quoted(name)}`,
    );
  }
  process.stderr.write(`${previewLines(preview).join("\n")}\n`);
  const { text } = await import("@clack/prompts");
  const message = `Type the name of the account, ${name}, to erase it`;
  const typed = await text({ message, output: process.stderr });
  if (typeof typed !== "string") throw new Interrupted("Cancelled; nothing was changed.");
  return typed;
}

function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

function previewLines({ account, obstacles, openRuns, boardResults, tables }: ErasurePreview): string[] {
  const width = Math.max(...tables.map(({ table }) => table.length));
  return [
    `Erasing ${account.name}:`,
    `  ${formatCount(openRuns, "unfinished run")} would be cancelled`,
    `  ${formatCount(boardResults, "result")} would stay on leaderboards under a pseudonym`,
    ...tables.map(({ table, rows, erasure }) => `  ${table.padEnd(width)}  ${formatCount(rows, "row")} ${erasure}`),
    ...obstacles.map((obstacle) => `Not possible now: ${obstacle}.`),
  ];
}

function erasureLines({ account, cancelledRuns, removedSubmissions }: Erasure): string[] {
  return [
    `The account is erased and is now called ${account.name}. Sources and outputs are deleted within minutes.`,
    `Cancelled: ${formatCount(cancelledRuns, "run")}. Removed from leaderboards: ${formatCount(removedSubmissions, "submission")}.`,
  ];
}
