/** Syncs problems, and resolves collisions of their names with the person in the terminal. */
import type { Client } from "@kernelbot/api";
import { KernelBotError, ProblemPrefix, type SyncReport, type SyncRequest } from "@kernelbot/core";
import type { z } from "zod";
import { Interrupted } from "../command/exit.ts";
import { canPrompt, promptAnswer } from "../command/prompt.ts";
import { sanitize } from "../output/text.ts";

const CANCELLED = "Nothing was changed.";

/**
 * Syncs problems. If problems of the server's own folder have the same names, asks in a terminal for a prefix, or
 * whether to replace them.
 * @throws KernelBotError `conflict` for such names where no terminal exists to ask in.
 */
export async function syncOrAsk(client: Client, request: z.input<typeof SyncRequest>): Promise<SyncReport> {
  try {
    return await client.syncProblems(request);
  } catch (error) {
    const isCollision = error instanceof KernelBotError && error.code === "conflict";
    if (!isCollision || !canPrompt()) throw error;
    console.error(sanitize(error.message));
    return syncOrAsk(client, { ...request, ...(await askNames()) });
  }
}

async function askNames(): Promise<Pick<z.input<typeof SyncRequest>, "prefix" | "replace">> {
  const { select, text } = await import("@clack/prompts");
  const output = process.stderr;
  const options = [
    { value: "prefix", label: "Put a prefix before the names of this source" },
    { value: "replace", label: "Replace the problems of the server's own folder" },
    { value: "cancel", label: "Cancel" },
  ];
  const choice = promptAnswer(await select({ message: "Names", options, output }), CANCELLED);
  if (choice === "cancel") throw new Interrupted(CANCELLED);
  if (choice === "replace") return { replace: true };
  const validate = (value: string | undefined) => ProblemPrefix.safeParse(value ?? "").error?.issues[0]?.message;
  const prefix = await text({ message: "Prefix", placeholder: "amd-", validate, output });
  return { prefix: promptAnswer(prefix, CANCELLED) };
}
