import type { RunnerAdminState, RunnerAction } from "@kernelbot/core";
import { connect } from "../config/config.ts";
import { runnersNamed } from "./find-runners.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

const NOW: Readonly<Record<RunnerAdminState, string>> = {
  active: "works again",
  paused: "is paused",
  draining: "ends after what it does",
};

/** Commands runners to pause, drain or resume, one after the other; runners already in that state are skipped. */
export async function tellRunners(
  serverOption: string | undefined,
  words: readonly string[],
  change: RunnerAction,
  reason?: string,
): Promise<void> {
  const { client } = await connect(serverOption);
  const after = { pause: "paused", drain: "draining", resume: "active" }[change];
  const { print } = terminalOf(process.stdout);
  for (const runner of await runnersNamed(client, words)) {
    const told = runner.standing === after ? runner : await client.changeRunner(runner.id, change, reason);
    const { id, name, target, standing } = sanitize(told);
    print([`${name} (${id}, ${target}) ${NOW[standing]}${runner.standing === after ? " already" : ""}.`]);
  }
}
