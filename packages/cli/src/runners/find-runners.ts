/** Selection of runners on the command line. */
import type { Client, RunnerStatus } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/**
 * Returns the runners that the arguments name: by number, by name, or all of a target.
 * @throws UsageError when nothing matches, or a name is ambiguous.
 */
export async function runnersNamed(client: Client, words: readonly string[]): Promise<RunnerStatus[]> {
  const all = await client.runners();
  const named = words.flatMap((word) => meant(all, word));
  return [...new Set(named)];
}

/** Returns the only runner that an argument names. @throws UsageError when it names none or several. */
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
