/** Asks before what cannot be undone by the one who asks for it. */
import { Interrupted, UsageError } from "./exit.ts";

/**
 * @param question What would be done, as a question.
 * @param why Why it needs a word: `closing cannot be undone`.
 * @throws UsageError where nobody can be asked; Interrupted where the answer is no.
 */
export async function confirmed(question: string, why: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${why}: say --yes where nobody can be asked`);
  }
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (answer !== true) throw new Interrupted("Nothing was done.");
}
