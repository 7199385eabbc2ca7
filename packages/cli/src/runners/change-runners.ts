import type { RunnerAdminState, RunnerAction } from "@kernelbot/core";
import type { Options } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { findRunners } from "./find-runners.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

export const REASON_OPTION = {
  reason: {
    type: "string",
    short: "r",
    value: "TEXT",
    default: "maintenance",
    help: "Reason, shown in their logs and on the runners page",
  },
} as const satisfies Options;

export const SELECTOR_NOTE =
  "RUNNER is a number or a name, as kernelbot runners list shows them, or a target for all of its runners.";

const STATUS: Readonly<Record<RunnerAdminState, string>> = {
  active: "is active",
  paused: "is paused",
  draining: "is draining",
};

/** Commands runners to pause, drain or resume, one after the other; runners already in that state are skipped. */
export async function changeRunners(
  serverOption: string | undefined,
  selectors: readonly string[],
  change: RunnerAction,
  reason?: string,
): Promise<void> {
  const { client } = await connect(serverOption);
  const after = { pause: "paused", drain: "draining", resume: "active" }[change];
  const { print } = terminalOf(process.stdout);
  for (const runner of await findRunners(client, selectors)) {
    const changed = runner.adminState === after ? runner : await client.changeRunner(runner.id, change, reason);
    const { id, name, target, adminState } = sanitize(changed);
    print([`${name} (${id}, ${target}) ${STATUS[adminState]}${runner.adminState === after ? " already" : ""}.`]);
  }
}
