/** Selection of runners on the command line. */
import type { Client } from "@kernelbot/api";
import type { RunnerStatus } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/**
 * Returns the runners that the arguments name: by number, by name, or all of a target.
 * @throws UsageError when nothing matches, or a name is ambiguous.
 */
export async function findRunners(client: Client, selectors: readonly string[]): Promise<RunnerStatus[]> {
  const all = await client.runners();
  return [...new Set(selectors.flatMap((selector) => matchRunners(all, selector)))];
}

/** Returns the only runner that an argument names. @throws UsageError when it names none or several. */
export async function findRunner(client: Client, selector: string): Promise<RunnerStatus> {
  const [first, second] = await findRunners(client, [selector]);
  if (first === undefined || second !== undefined) {
    throw new UsageError(`${JSON.stringify(selector)} is a target of several runners; use the number of one`);
  }
  return first;
}

function matchRunners(all: readonly RunnerStatus[], selector: string): RunnerStatus[] {
  const byNumber = all.filter(({ id }) => String(id) === selector);
  if (byNumber.length > 0) return byNumber;
  const byName = all.filter(({ name }) => name === selector);
  if (byName.length > 1) {
    const which = byName.map(({ id, target }) => `${id} (${target})`).join(", ");
    throw new UsageError(
      `${byName.length} runners are named ${JSON.stringify(selector)}: ${which}; use the number of one`,
    );
  }
  const found = byName.length > 0 ? byName : all.filter(({ target, revoked }) => target === selector && !revoked);
  if (found.length > 0) return found;
  throw new UsageError(`runner ${JSON.stringify(selector)} not found; kernelbot runners list shows all runners`);
}
