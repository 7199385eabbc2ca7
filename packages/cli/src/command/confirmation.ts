/** Confirmation prompts for actions that the user cannot undo. */
import { Interrupted, UsageError } from "./exit.ts";
import { canPrompt } from "./prompt.ts";

/**
 * Prompts the user to confirm an action.
 * @param question The action, as a question.
 * @param why Why confirmation is needed: `closing cannot be undone`.
 * @throws UsageError when standard input or error is not a terminal; Interrupted when the user declines.
 */
export async function requireConfirmation(question: string, why: string): Promise<void> {
  if (!canPrompt()) {
    throw new UsageError(`${why}; without a terminal to confirm in, use --yes`);
  }
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (answer !== true) throw new Interrupted("Cancelled; nothing was changed.");
}
