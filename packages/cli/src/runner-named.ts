/** Which runners a word of the command line means. */
import type { Client, RunnerStatus } from "@kernelbot/core";
import { UsageError } from "./exit.ts";

/**
 * The runners that the words name: each a number, a name, or a target, which is all of its runners.
 * @throws UsageError where there is none, or a name is that of several.
 */
export async function runnersNamed(client: Client, words: readonly string[]): Promise<RunnerStatus[]> {
  const all = await client.runners();
  const named = words.flatMap((word) => meant(all, word));
  return [...new Set(named)];
}

/** The one runner that a word names. */
export async function runnerNamed(client: Client, word: string): Promise<RunnerStatus> {
  const [first, second] = await runnersNamed(client, [word]);
  if (first === undefined || second !== undefined) {
    throw new UsageError(`${JSON.stringify(word)} is a target of several runners; name one by its number`);
  }
  return first;
}

function meant(all: readonly RunnerStatus[], word: string): RunnerStatus[] {
  const byNumber = all.filter(({ id }) => String(id) === word);
  if (byNumber.length > 0) return byNumber;
  const byName = all.filter(({ name }) => name === word);
  if (byName.length > 1) {
    const which = byName.map(({ id, target }) => `${id} (${target})`).join(", ");
    throw new UsageError(`there are ${byName.length} runners called ${JSON.stringify(word)}: ${which}; use the number`);
  }
  const found = byName.length > 0 ? byName : all.filter(({ target, revoked }) => target === word && !revoked);
  if (found.length > 0) return found;
  throw new UsageError(`there is no runner ${JSON.stringify(word)}; kernelbot runners lists those there are`);
}
